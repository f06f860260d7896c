import { afterAll, describe, test } from 'vitest';
import { delayKind, type FaultCase, faultCases, faultKinds, steps } from '../support/fault-matrix.ts';
import { checkFault } from '../support/fault-matrix-check.ts';

const kinds = [...faultKinds, delayKind];
const passed = new Set<string>();

function nameOf({ kind, step, times }: Pick<FaultCase, 'kind' | 'step' | 'times'>): string {
  return `${kind.kind} ${step} ${times}`;
}

describe('every kind of fault at every step', () => {
  test.each(faultCases(kinds).map((each) => ({ ...each, fault: each.kind.kind })))(
    '$fault at $step, $times: exit $exitCode',
    async (each) => {
      await checkFault(each);
      passed.add(nameOf(each));
    },
  );
});

afterAll(() => {
  const lines = kinds.map((kind) => {
    const cells = steps.map((step) => {
      const outcome = kind.at[step];
      if (!outcome) return '—';
      const both = (['always', 'once'] as const).map((times, i) =>
        passed.has(nameOf({ kind, step, times })) ? String(outcome[i]) : 'FAILED',
      );
      return both.join(' · ');
    });
    return `| ${[`\`${kind.kind}\``, ...cells].join(' | ')} |`;
  });
  const head = [`| fault | ${steps.join(' | ')} |`, `|---|${steps.map(() => '---').join('|')}|`];
  console.log(['Exit codes where the fault strikes always · once:', '', ...head, ...lines].join('\n'));
});
