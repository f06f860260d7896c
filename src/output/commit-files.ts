import { ErrorInContext, OutputError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { joinWords } from '../text/quantity.ts';
import type { WrittenFile } from './written-file.ts';

/**
 * Puts the complete files of a report in place. Stdout, pipes and devices come last. Throws an
 * `OutputError` that lists the files already in place.
 */
export async function commitFiles(files: readonly WrittenFile[]): Promise<void> {
  const inOrder = files.toSorted((a, b) => Number(a.isStream) - Number(b.isStream));
  const inPlace: string[] = [];
  for (const file of inOrder) {
    try {
      await file.commit();
    } catch (error) {
      if (!(error instanceof OutputError) || inPlace.length === 0) throw error;
      const message = `${error.message} Already in place: ${joinWords(inPlace)}.`;
      throw new ErrorInContext(error, { message, hint: error.hint });
    }
    if (file.name !== undefined) inPlace.push(printable(file.name));
  }
}

export async function discardFiles(files: readonly WrittenFile[]): Promise<void> {
  for (const file of files) await file.discard();
}
