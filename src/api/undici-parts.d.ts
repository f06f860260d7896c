// undici's index loads fetch, WebSocket, caches and mocks: with it a command of one call takes 40 ms longer, and longer than
// a script that makes the call with Node's own fetch. The parts are the same classes under their own paths.
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici';

  const agent: typeof Agent;
  export = agent;
}
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import type { EnvHttpProxyAgent } from 'undici';

  const agent: typeof EnvHttpProxyAgent;
  export = agent;
}
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const pool: typeof Pool;
  export = pool;
}
declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';

  const connect: Dispatcher['connect'];
  export = connect;
}
