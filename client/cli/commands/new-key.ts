/** Prints a key that was just created. */
import type { CreatedApiKey } from '../../src/index.js';
import type { Output } from '../output.js';

export function printNewKey(output: Output, created: CreatedApiKey): void {
  output.note(`Save it: it is shown only once. Its id is ${created.id}.`);
  output.result(created.key, created);
}
