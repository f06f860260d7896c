import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from './service-error.ts';

/** The methods of a path; `:name` in it stands for any one part. */
interface Route {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** The routes of a server by path, as they are added from now on. */
export function collectRoutes(app: FastifyInstance): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  return routes;
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`);
}

/**
 * Answers a call of a known path by a method that it does not take: `OPTIONS` with the ones it does, any other with 405
 * and `Allow`, which it throws. Whether the path is known.
 */
export function answerUnrouted(
  routes: ReadonlyMap<string, Route>,
  { method, url }: FastifyRequest,
  reply: FastifyReply,
): boolean {
  const path = url.split('?', 1)[0] ?? '';
  const methods = [...routes.values()]
    .filter(({ pattern }) => pattern.test(path))
    .flatMap((route) => [...route.methods]);
  if (methods.length === 0) return false;
  const allow = methods.toSorted().join(', ');
  if (method !== 'OPTIONS') {
    throw new ServiceError('METHOD_NOT_ALLOWED', `${path.slice(0, 80)} takes ${allow}.`, { headers: { allow } });
  }
  reply.code(204).header('allow', allow).send();
  return true;
}
