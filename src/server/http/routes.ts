import { endpoints } from '../../contract/endpoints.ts';
import { ServiceError } from '../service/service-error.ts';
import type { Answer } from './answer.ts';
import type { Call } from './call.ts';

/** Answers a call, at once or later; with nothing where it has seen to the answer itself. Throws `ServiceError`. */
export type Handler = (call: Call) => Answer | undefined | Promise<Answer | undefined>;

interface Route {
  readonly pattern: RegExp;
  readonly handlers: Map<string, Handler>;
}

/** Which handler takes which method and path. */
export class Routes {
  readonly #routes = new Map<string, Route>();

  /** @param path in which `:name` stands for any one part; a handler of `GET` takes `HEAD` as well */
  add(method: 'GET' | 'POST' | 'DELETE', path: string, handler: Handler): void {
    const route = this.#routes.get(path) ?? { pattern: patternOf(path), handlers: new Map<string, Handler>() };
    this.#routes.set(path, route);
    route.handlers.set(method, handler);
    if (method === 'GET') route.handlers.set('HEAD', handler);
  }

  /**
   * The handler of a request. A known path tells `OPTIONS` which methods it takes, and `*` those of the whole server.
   * Throws `ServiceError` 404, and 405 with `Allow`.
   */
  find(method: string, url: string): Handler {
    if (method === 'OPTIONS' && url === '*') return tellMethods([...this.#routes.values()]);
    const route = this.#routes.get(url) ?? this.#search(pathOf(url));
    const handler = route.handlers.get(method);
    if (handler) return handler;
    if (method === 'OPTIONS') return tellMethods([route]);
    const allow = methodsOf([route]);
    throw new ServiceError('METHOD_NOT_ALLOWED', `${shortPathOf(url)} takes ${allow}.`, { headers: { allow } });
  }

  #search(path: string | undefined): Route {
    if (path === undefined) throw new ServiceError('NOT_FOUND', 'The path is not valid percent-encoding.');
    for (const route of this.#routes.values()) if (route.pattern.test(path)) return route;
    const known = Object.values(endpoints).map((endpoint) => `${endpoint.method} ${endpoint.path}`);
    throw new ServiceError('NOT_FOUND', `There is no ${path.slice(0, 80)} here. There are ${known.join(', ')}.`);
  }
}

function methodsOf(routes: readonly Route[]): string {
  const methods = new Set(routes.flatMap(({ handlers }) => [...handlers.keys()]));
  return [...methods].toSorted().join(', ');
}

function tellMethods(routes: readonly Route[]): Handler {
  const headers = { allow: methodsOf(routes) };
  return () => ({ status: 204, type: undefined, headers, body: '' });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`);
}

/** A request target without the origin, and the credentials in it, that one meant for a proxy has: from its path on. */
export function fromPath(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/** The decoded path of a request target; `undefined` where it is no encoding. */
function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(url.split('?', 1)[0] ?? '');
  } catch {
    return undefined;
  }
}

function shortPathOf(url: string): string {
  return (url.split('?', 1)[0] ?? '').slice(0, 80);
}
