/** The text that the mock prints when it is ready, with requests to try. */

import { type Contract, operationsOf } from '../lib/contract.js';
import { plural } from '../lib/terminal.js';

export function examplesBanner(contract: Contract, url: string): string {
  const all = operationsOf(contract);
  const curl = `curl ${url}${firstPath(contract)} -H 'Authorization: Bearer any-key'`;
  return `
${contract.info.title} ${contract.info.version}, mocked at ${url}
${plural(all.length, 'operation')} respond with the examples of the contract, and refuse what the service refuses.
The documentation is at ${url}/docs. Stop with Ctrl-C.

  Try it:           ${curl}
  Another status:   ${curl} -H 'Prefer: code=429'
  Varied values:    ${curl} -H 'Prefer: dynamic=true'
`;
}

export function statefulBanner(
  contract: Contract,
  { url, key }: { url: string; key: string },
): string {
  return `
${contract.info.title} ${contract.info.version}, mocked at ${url}
This is the service itself with the agent echo. Its data is deleted at the end. Stop with Ctrl-C.
The documentation is at ${url}/docs.

  Key:              ${key}
  Try it:           curl ${url}${firstPath(contract)} -H 'Authorization: Bearer ${key}'
`;
}

function firstPath(contract: Contract): string {
  const simple = operationsOf(contract).find(
    ({ path, method }) => method === 'get' && !path.includes('{'),
  );
  return simple?.path ?? '';
}
