import { usualAnswers, type Variant } from '../contract/service-variants.ts';
import { serve } from './http-server.ts';

/**
 * A service that gives the answers of a variant, and the usual ones besides; it counts the calls of
 * each path.
 */
export async function serveVariant({ answers }: Pick<Variant, 'answers'>) {
  const calls: Record<string, number> = {};

  const service = await serve(({ path, body: asked }, response) => {
    const ofPath = answers[path] ?? [usualAnswers[path] ?? { status: 404 }];
    const earlierCalls = calls[path] ?? 0;
    calls[path] = earlierCalls + 1;

    const answer = ofPath[earlierCalls] ?? ofPath.at(-1) ?? '';
    const whole = typeof answer === 'string' ? { body: answer } : answer;
    const { status = 200, headers = {}, body = '' } = whole;

    // The usual answer to the question for a status tells the id that it was asked with.
    const [, id] = /"id":"([^"]+)"/.exec(asked) ?? [];
    const isUsual = answers[path] === undefined;
    const text = isUsual && id !== undefined ? String(body).replace('"r1"', `"${id}"`) : body;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    // No answer comes in one piece for sure.
    const bytes = Buffer.from(text);
    response.write(bytes.subarray(0, bytes.length / 2));
    response.end(bytes.subarray(bytes.length / 2));
  });

  return { ...service, calls };
}
