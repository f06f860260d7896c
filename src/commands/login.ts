import { Option } from 'commander';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export interface LoginOptions {
  readonly baseUrl?: string;
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly tokenStdin?: boolean;
  readonly profile?: Profile;
  readonly account?: string;
}

export const loginCommand: CommandBuilder = (perform) =>
  declareCommand('login', [
    ['adreport login', 'asks for everything'],
    ['adreport login --base-url https://reports.example.com --token-stdin < token.txt', 'unattended'],
    ['adreport login --account agency --email buyer@example.com', 'a second account, beside the first'],
  ])
    .option('--base-url <url>', 'address of the service')
    .option('--email <address>', 'sign in with e-mail and password')
    .option('--password-stdin', 'read the password from standard input')
    .option('--token-stdin', 'read a token made in the service’s console from standard input')
    .addOption(new Option('--profile <name>', 'the profile of the account (default: buyer)').choices(profiles))
    .option('--account <name>', 'name to store it under (default: default)')
    .action(perform(async () => (await import('./actions/login.ts')).login));
