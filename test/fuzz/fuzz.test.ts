/** The short form of the contract fuzzer, which `npm run test:fuzz` runs for longer. FUZZ_SEED repeats a run. */
import { expect, test } from '@jest/globals';
import { fuzz } from './fuzzer.js';
import { reportOf } from './search.js';
import { useFuzzedService } from './service.js';
import { shortRun } from './settings.js';

const service = useFuzzedService();

test(`the service keeps its contract (seed ${shortRun.seed})`, async () => {
  const rows = await fuzz(service, { ...shortRun, sequences: 4 });
  const failures = rows.flatMap((row) => row.failures);
  expect(failures.map(reportOf).join('\n\n')).toBe('');
});
