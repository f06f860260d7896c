'use strict';
// The loader of the bundle: parts by name, each run when it is first asked for. The build fills in `files`.
const fs = require('node:fs');
const { homedir } = require('node:os');
const { isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

/** The file that holds a part, where it is not a file of its own. */
const files = {};

const loaded = {};
const opened = {};
/** Where compiled code is kept between runs, once `keepCode` was called. */
let folder;

/** What a part exports. */
function load(name) {
  if (loaded[name]) return loaded[name].exports;
  const module = { exports: {} };
  loaded[name] = module;
  const part = files[name] ? open(files[name])[name] : require(`./parts/${name}`);
  part(module.exports, module, ask);
  return module.exports;
}

function ask(id) {
  if (id.endsWith('.wasm')) return fs.readFileSync(join(__dirname, 'parts', id));
  return id.startsWith('.') ? load(id.slice(id.lastIndexOf('/') + 1)) : require(id);
}

function open(file) {
  opened[file] ??= folder ? runWithCache(file) : require(`./parts/${file}`);
  return opened[file];
}

/**
 * From here on, keeps compiled code between runs, in the user's cache folder: it saves a fifth of the start-up of a
 * command. Node's own compile cache, which Node 20 lacks, holds next to nothing of what runs.
 */
function keepCode() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return;
  const caches = cachesOfUser();
  // Beneath the working folder, which may hold anybody's files, nothing is run.
  if (caches && isAbsolute(caches)) folder = join(caches, 'adreport');
}

function cachesOfUser() {
  const { env, platform } = process;
  if (platform === 'win32') return env.LOCALAPPDATA;
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return env.XDG_CACHE_HOME;
  return join(homedir(), platform === 'darwin' ? 'Library/Caches' : '.cache');
}

function runWithCache(file) {
  const filename = join(__dirname, 'parts', file);
  // The file's name holds a hash of its text; V8 itself compares no more than its length.
  const cachePath = join(folder, `${file}.${process.versions.v8}.${process.arch}`);
  const cachedData = readOwn(cachePath);
  const script = new Script(`(function(module){${fs.readFileSync(filename, 'utf8')}\n})`, { filename, cachedData });
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => keep(cachePath, script));
  const module = {};
  script.runInThisContext()(module);
  return module.exports;
}

/** The code that a file of the cache holds; nothing where another user wrote it, who would have us run what they like. */
function readOwn(path) {
  let handle;
  try {
    handle = fs.openSync(path);
    const { uid } = fs.fstatSync(handle);
    return process.getuid && uid !== process.getuid() ? undefined : unsealed(fs.readFileSync(handle));
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/** Code with its checksum behind it: V8 runs damaged code until it crashes, and would at every start. */
function sealed(code) {
  const seal = Buffer.alloc(4);
  seal.writeInt32LE(checksum(code));
  return Buffer.concat([code, seal]);
}

function unsealed(bytes) {
  const code = bytes.subarray(0, -4);
  return bytes.readInt32LE(code.length) === checksum(code) ? code : undefined;
}

/** Of one word in sixteen: files are damaged by the block, and to read each word would cost some of the time saved. */
function checksum({ buffer, byteOffset, length }) {
  const words = new Int32Array(buffer, byteOffset, length >> 2);
  let sum = length;
  for (let at = 0; at < words.length; at += 16) sum = (Math.imul(sum, 31) + words[at]) | 0;
  return sum;
}

/** Keeps what has been compiled by now. Nothing depends on it: a folder that cannot be written is let be. */
function keep(path, script) {
  const temporary = `${path}.${process.pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(temporary, sealed(script.createCachedData()), { mode: 0o600, flush: true });
    fs.renameSync(temporary, path);
    removeOld();
  } catch {
    removeIfThere(temporary);
  }
}

/** Removes what was kept more than a month ago, mostly by other versions; what is still in use is soon kept again. */
function removeOld() {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - fs.statSync(path).mtimeMs > 30 * 86_400_000) removeIfThere(path);
  }
}

function removeIfThere(path) {
  try {
    fs.unlinkSync(path);
  } catch {
    // Another process was faster, or nothing came of it in the first place.
  }
}

module.exports = { load, keepCode };
