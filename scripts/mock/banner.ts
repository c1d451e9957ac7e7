/** What the mock tells its user at the start: where it is, a request to try, how to ask for another answer. */

import { type Contract, operationsOf } from '../lib/contract.js';
import { plural } from '../lib/terminal.js';

export function banner(contract: Contract, url: string): string {
  const all = operationsOf(contract);
  const simple = all.find(({ path, method }) => method === 'get' && !path.includes('{'));
  const curl = `curl ${url}${simple?.path ?? ''} -H 'Authorization: Bearer any-key'`;
  return `
${contract.info.title} ${contract.info.version}, mocked at ${url}
${plural(all.length, 'operation')} answer with the examples of the contract. Stop with Ctrl-C.

  Try it:           ${curl}
  Another status:   ${curl} -H 'Prefer: code=429'
  Made-up values:   ${curl} -H 'Prefer: dynamic=true'
`;
}
