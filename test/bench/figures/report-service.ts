import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service with one report, which is ready at once. */
export interface ReportService {
  readonly url: string;

  stop(): void;
}

/** Serves the report in a file for any order. */
export async function startReportService(file: string): Promise<ReportService> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => answer(file, request, response));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/** The environment of a program that asks the service, and keeps its settings in a folder. */
export function environmentOf({ url }: ReportService, folder: string): Record<string, string> {
  return {
    ADREPORT_BASE_URL: url,
    ADREPORT_TOKEN: 'x'.repeat(40),
    ADREPORT_CONFIG_DIR: folder,
  };
}

function answer(file: string, { url = '' }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  if (url.includes('download')) {
    response.setHeader('content-length', statSync(file).size);
    createReadStream(file, { highWaterMark: 256 * 1024 }).pipe(response);
    return;
  }

  const record = url.includes('status')
    ? { status: 'success', message: '' }
    : { report_id: 'bench', status: 'progress' };
  response.end(JSON.stringify({ response: record }));
}
