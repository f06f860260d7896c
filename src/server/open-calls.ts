import type { ServerResponse } from 'node:http';

/** The calls of the service that are being answered, from their arrival on. */
export class OpenCalls {
  readonly #controllers = new Map<ServerResponse, AbortController>();

  /** Takes up a call when it arrives; its signal is aborted when the client is gone. */
  open(outgoing: ServerResponse): void {
    const controller = new AbortController();
    this.#controllers.set(outgoing, controller);

    outgoing.once('finish', () => this.#controllers.delete(outgoing));
    outgoing.once('close', () => {
      this.#controllers.delete(outgoing);
      controller.abort(new Error('The client is gone.'));
    });
  }

  /** Aborted when nobody waits for the answer any more. */
  signalOf(outgoing: ServerResponse): AbortSignal {
    const controller = this.#controllers.get(outgoing);
    return controller?.signal ?? AbortSignal.abort();
  }

  /** Ends every call that is still being answered: its connection is cut. */
  endAll(): void {
    for (const [outgoing, controller] of this.#controllers) {
      controller.abort(new Error('The server was reset.'));
      outgoing.destroy();
    }
    this.#controllers.clear();
  }
}
