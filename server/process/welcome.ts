/** The text that a terminal shows when the service has started. */
import { operations } from '../../generated/operations.js';
import { apiPrefix } from '../contract/api-prefix.js';
import { serviceVersion } from '../contract/project-files.js';
import { commandLine } from '../contract/command-line.js';
import type { Setup } from './first-start.js';

export function lostKeyHint(accountArguments: readonly string[]): string {
  const create = ['keys', 'create', '--name', 'Another key', '--role', 'admin'];
  return `To replace a lost API key, run: ${commandLine(...create, ...accountArguments)}`;
}

const nameAndVersion = `Agent Hosting Service ${serviceVersion}`;

export function readyAt(url: string): string {
  return `${nameAndVersion} is ready at ${url}`;
}

export function pagesAt(url: string, hasConsole: boolean): { docs: string; console?: string } {
  return { docs: `${url}/docs`, ...(hasConsole && { console: `${url}/console` }) };
}

export function welcome({
  url,
  firstKey,
  accountArguments,
  hasConsole,
}: Setup & { url: string; hasConsole: boolean }): string[] {
  const pages = pagesAt(url, hasConsole);
  const addresses = [
    `  API      ${url}${apiPrefix}`,
    `  Docs     ${pages.docs}`,
    ...(pages.console === undefined ? [] : [`  Console  ${pages.console}`]),
  ];
  if (!firstKey)
    return [`${nameAndVersion} is ready.`, ...addresses, lostKeyHint(accountArguments)];
  const lines = [
    `${nameAndVersion} is ready.`,
    '',
    ...addresses,
    `  Key      ${firstKey.key}`,
    '',
    'Store the key now: it has every permission and is shown only once. Try it:',
  ];
  const invoke = operations.invokeAgent.path.replace('{agent_id}', firstKey.agentName);
  // The command is outside the box, so that it can be copied as a whole.
  return [
    '',
    ...boxed(lines),
    '',
    `curl ${url}${invoke} -H 'Authorization: Bearer ${firstKey.key}' \\`,
    `  -H 'Content-Type: application/json' -d '{"message": "Hello"}'`,
    '',
  ];
}

function boxed(lines: string[]): string[] {
  const width = Math.max(...lines.map((line) => line.length));
  const edge = '─'.repeat(width + 2);
  return [`╭${edge}╮`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `╰${edge}╯`];
}
