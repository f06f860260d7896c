import { grammar } from '../server/faults/fault-keys.ts';
import type { FaultKind } from '../server/faults/fault-kind.ts';
import { everyEndpoint } from '../server/faults/fault-spec.ts';
import { faultKinds, labelOf } from '../server/faults/kinds/index.ts';
import { accounts } from '../server/world/accounts.ts';
import type { Block } from '../ui/page.ts';

/** What the local server is for, and how it is steered. */
export function writeTopic(): readonly Block[] {
  return [
    `The service itself, on this machine: sign-in, both profiles, reports that take their time, campaigns. Its data is the
    same everywhere, exists for every hour of any window, and adds up. Its flags: adreport local-server --help`,
    { heading: 'Three ways to it' },
    {
      terms: [
        ['--local', 'on any command: a server inside the process; nothing is stored, no ledger entry'],
        ['local-server', 'on port 8787, until Ctrl-C; GET / is a page for people'],
        ['local-server exec -- CMD', 'on a free port, with ADREPORT_BASE_URL and ADREPORT_TOKEN set for CMD'],
      ],
    },
    { heading: 'Accounts' },
    {
      terms: accounts.map(({ name, email, password, profile, admin, token }) => [
        name,
        `${email}, password ${password}, token ${token} (${profile}${admin ? ', admin' : ''})`,
      ]),
    },
    { heading: 'Faults' },
    grammar,
    {
      terms: [
        ['ENDPOINT', [...everyEndpoint, '*'].join(', ')],
        ['keys', 'times=N, after=N calls, p=0.1, for=ACCOUNT, and those of the KIND'],
      ],
    },
    'A KIND is one of these:',
    { terms: Object.entries(faultKinds).map(faultTerm) },
    { heading: 'At run time, from any language' },
    {
      terms: [
        ['GET /openapi.json', 'describes the service'],
        ['POST /__admin/clock', '{"advance":"2h"}'],
        ['POST /__admin/reports/ID', '{"status":"ready"}'],
        ['POST /__admin/faults', '{"fault":"status:503:times=1"}; GET lists them, DELETE ends them'],
        ['GET /__admin/requests', 'what was asked; DELETE forgets it'],
        ['POST /__admin/reset', 'as it was at the start'],
      ],
    },
    { heading: 'Examples' },
    {
      examples: [
        ['adreport local-server exec -- adreport campaigns', 'any program in place of the second adreport'],
        ["adreport local-server --fault 'status:503:times=3' exec -- adreport run --period yesterday", 'under a fault'],
        ['adreport local-server export ./data --period yesterday', 'data to edit, for --fixtures ./data'],
      ],
    },
  ];
}

/** A kind of fault with the keys that it cannot do without, and what it does where. */
function faultTerm(entry: [name: string, kind: FaultKind]): readonly [term: string, meaning: string] {
  const [, { names, keys = {}, reach, meaning }] = entry;
  const pairs = names ? [] : Object.entries(keys).map(([key, value]) => `:${key}=${value}`);
  return [`${labelOf(entry)}${pairs.join('')}`, reach ? `${meaning}; at ${reach.join(', ')}` : meaning];
}
