import { spawn } from 'node:child_process';

/** A server that answers every call with one file, as the service's download does. It has a process of its own. */
const program = `
const { createReadStream, statSync } = require('node:fs');
const [, file] = process.argv;
const server = require('node:http').createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': statSync(file).size });
  createReadStream(file, { highWaterMark: 256 * 1024 }).pipe(response);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** Starts it on a free port of loopback, for one file. */
export async function serveFile(file: string): Promise<{ readonly url: string; stop(): void }> {
  const child = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()));
    child.once('exit', (code) => reject(new Error(`the file server ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}
