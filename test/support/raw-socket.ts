import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection on which a test writes whatever it likes. */
interface RawSocket {
  readonly socket: Socket;
  /** What has been received so far. */
  text(): string;
  /** Resolves when the other end, or this one, has closed the connection. */
  readonly closed: Promise<void>;
}

/** Opens a connection to a port of loopback; gone when the test is over. */
async function openSocket(port: number): Promise<RawSocket> {
  const socket = connect(port, '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  // A connection that is reset is closed as well.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  onTestFinished(() => void socket.destroy());
  return { socket, text: () => Buffer.concat(pieces).toString('latin1'), closed };
}

/** Sends bytes as they are, and resolves with everything that came back once the other end has closed the connection. */
export async function exchange(port: number, sent: string | Buffer): Promise<string> {
  const raw = await openSocket(port);
  raw.socket.write(sent);
  await raw.closed;
  return raw.text();
}
