import { projectFileName } from '../config/project-file.ts';
import { environmentVariables } from '../config/settings.ts';
import type { Block } from '../ui/page.ts';

/** The variables that the program reads, and what beats what. */
export function writeTopic(): readonly Block[] {
  return [
    `A setting is taken from the first of these that gives it: flag, environment, ${projectFileName}, stored account,
    default. A variable that is empty is one that is not set.`,
    { heading: 'Variables' },
    { terms: environmentVariables },
    `${projectFileName} can name an account and a profile, never an address or a secret. A stored token goes only to the
    origin it was stored for, wherever the base URL came from. Secrets come by prompt, --password-stdin, --token-stdin
    or the environment, never as a flag’s value, and no output shows them.`,
    { heading: 'Examples' },
    {
      examples: [
        ['adreport config list', 'every setting, and where it came from'],
        ['ADREPORT_PROFILE=dsp adreport config get profile', 'the environment beats what is stored'],
        ['adreport doctor', 'checks them all, and what they lead to'],
      ],
    },
  ];
}
