import type { ServerResponse } from 'node:http';

/** Service calls in progress. */
export class OpenCalls {
  readonly #controllers = new Map<ServerResponse, AbortController>();

  open(outgoing: ServerResponse): void {
    const controller = new AbortController();
    this.#controllers.set(outgoing, controller);

    outgoing.once('finish', () => this.#controllers.delete(outgoing));
    outgoing.once('close', () => {
      this.#controllers.delete(outgoing);
      controller.abort(new Error('The client has disconnected.'));
    });
  }

  /** Returns a signal that is aborted when the client disconnects or the server is reset. */
  signalOf(outgoing: ServerResponse): AbortSignal {
    const controller = this.#controllers.get(outgoing);
    return controller?.signal ?? AbortSignal.abort();
  }

  /** Cuts the connection of every call in progress. */
  endAll(): void {
    for (const [outgoing, controller] of this.#controllers) {
      controller.abort(new Error('The server was reset.'));
      outgoing.destroy();
    }
    this.#controllers.clear();
  }
}
