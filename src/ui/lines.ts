import type { Writable } from 'node:stream';

/** Something that is drawn at the bottom of the terminal and makes room for lines. */
export interface Overlay {
  hide(): void;
  show(): void;
}

/** stderr as a place for lines, with at most one overlay below them. */
export interface Lines {
  /** Writes a text and a line end; one that cannot be written is lost. */
  put(text: string): void;
  /** Lets something be drawn below the lines; returns the function that ends it. */
  attach(overlay: Overlay): () => void;
  /** Does some work that writes to the same terminal with the overlay out of its way. */
  withoutOverlay<T>(work: () => Promise<T>): Promise<T>;
}

/** The lines of a stream, whose errors are dropped from now on. */
export function createLines(stream: Writable): Lines {
  let overlay: Overlay | undefined;
  // Nobody to tell when stderr itself is gone (`2>&1 | head`).
  stream.on('error', () => {});
  return {
    put(text) {
      overlay?.hide();
      stream.write(`${text}\n`);
      overlay?.show();
    },
    attach(added) {
      overlay = added;
      return () => {
        if (overlay === added) overlay = undefined;
      };
    },
    async withoutOverlay(work) {
      overlay?.hide();
      try {
        return await work();
      } finally {
        overlay?.show();
      }
    },
  };
}
