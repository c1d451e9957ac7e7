/** Reading the error text of a provider, agent or tool does not block the process. */
import { expect, test } from '@jest/globals';
import { errorText } from '../../server/models/error-text.js';
import { maxError } from '../../server/models/limits.js';
import { processorMs } from '../helpers/programs/processor-time.js';

/** Backtracking patterns take many seconds. */
const maxMs = 1_000;
const filled = (piece: string) => piece.repeat(maxError.bytes / piece.length);

test.each([
  ['letters', filled('a')],
  ['digits', filled('1')],
  ['underscores', filled('_')],
  ['letters in JSON', JSON.stringify({ error: { message: filled('a').slice(100) } })],
  ['spaces between two words', `x${filled(' ').slice(2)}y`],
  ['spaces after the name of a credential', `token${filled(' ').slice(10)}`],
  ['opening brackets of tags', filled('<')],
  ['beginnings of style tags', filled('<style ')],
  ['stars', filled('*')],
  ['addresses', filled('://a:')],
  ['organisations', filled('org_')],
])('%s', (_name, body) => {
  expect(processorMs(() => errorText(body, ['sk-1234567890abcdefghij']))).toBeLessThan(maxMs);
});
