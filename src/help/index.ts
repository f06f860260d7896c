import agents from './agents.md';
import databases from './databases.md';
import environment from './environment.md';
import exitCodes from './exit-codes.md';
import faults from './faults.md';
import folders from './folders.md';
import formats from './formats.md';
import localServer from './local-server.md';
import pages from './pages.md';
import periods from './periods.md';
import realService from './real-service.md';
import reports from './reports.md';
import schedulers from './schedulers.md';
import security from './security.md';
import testing from './testing.md';

// A new topic is its file, and its name here.
const forReports = { reports, periods, formats, pages };
const forPipelines = { folders, schedulers, databases };
const forTests = { 'local-server': localServer, testing, faults, agents };
const forAll = {
  'exit-codes': exitCodes,
  environment,
  security,
  'real-service': realService,
};

/** The Markdown of every topic by its name, in the order of the list. */
export const topics: Readonly<Record<string, string>> = {
  ...forReports,
  ...forPipelines,
  ...forTests,
  ...forAll,
};

/** One line, as the root's help lists a topic: the title of its text, without its name. */
export function summaryOf(text: string): string {
  return /^# .*?: (.*)$/m.exec(text)?.[1] ?? '';
}
