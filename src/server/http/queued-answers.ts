import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The answers to pipelined calls whose turn has not come, by their connection. */
const queues = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Closes an answer that still waits for those before it when its connection ends: Node tells only the one whose turn it
 * is, and of the others neither the work would stop nor the call be over.
 *
 * @param onTurn called when its turn comes, before anything of it is sent
 */
export function closeWithConnection(socket: Socket, answer: ServerResponse, onTurn: () => void): void {
  const queue = queues.get(socket) ?? queueOf(socket);
  queue.add(answer);
  answer.once('socket', () => {
    queue.delete(answer);
    onTurn();
  });
}

function queueOf(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const answer of queue) {
      answer.emit('close');
      // Newer Nodes tell it as well once it is destroyed.
      answer.removeAllListeners('close').destroy();
    }
    queue.clear();
  });
  return queue;
}
