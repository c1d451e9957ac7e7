/** `npm run test:fuzz`: the long form of the contract fuzzer. FUZZ_SEED and FUZZ_CASES repeat or resize a run. */
import { expect, jest, test } from '@jest/globals';
import { fuzz } from './fuzzer.js';
import { reportOf } from './search.js';
import { useFuzzedService } from './service.js';
import { longRuns } from './settings.js';
import { tableOf } from '../helpers/text/table.js';

jest.setTimeout(1_800_000);

const service = useFuzzedService();

test.each(longRuns)('the service keeps its contract (seed $seed)', async (options) => {
  const begun = Date.now();
  const rows = await fuzz(service, options);
  const failures = rows.flatMap((row) => row.failures);
  const cells = rows.map(({ operationId, valid, invalid, kinds, failures: own }) => [
    operationId,
    ...[valid + invalid, valid, invalid, kinds, own.length].map(String),
  ]);
  const header = ['operation', 'cases', 'valid', 'invalid', 'kinds', 'failures'];
  const seconds = Math.round((Date.now() - begun) / 1000);
  process.stdout.write(`Seed ${options.seed}, ${seconds} s\n${tableOf(header, cells)}\n`);
  expect(failures.map(reportOf).join('\n\n')).toBe('');
});
