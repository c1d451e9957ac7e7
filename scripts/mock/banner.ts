/** The text that the mock prints when it is ready, with requests to try. */

import { type Contract, operationsOf } from '../lib/contract.js';
import { plural } from '../lib/terminal.js';

export function banner(contract: Contract, url: string): string {
  const all = operationsOf(contract);
  const simple = all.find(({ path, method }) => method === 'get' && !path.includes('{'));
  const curl = `curl ${url}${simple?.path ?? ''} -H 'Authorization: Bearer any-key'`;
  return `
${contract.info.title} ${contract.info.version}, mocked at ${url}
${plural(all.length, 'operation')} respond with the examples of the contract. Stop with Ctrl-C.

  Try it:           ${curl}
  Another status:   ${curl} -H 'Prefer: code=429'
  Generated values: ${curl} -H 'Prefer: dynamic=true'
`;
}
