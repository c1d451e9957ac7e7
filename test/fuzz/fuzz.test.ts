/** The short form of the contract fuzzer, which `npm run test:fuzz` runs for longer. FUZZ_SEED repeats a run. */
import { expect, test } from '@jest/globals';
import { operationOf } from './contract.js';
import { seededFaults } from './faults.js';
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

test.each(seededFaults.slice(0, 3))('a fault is found: $operationId $name', async (fault) => {
  const { operationId, tamper } = fault;
  const rows = await fuzz(service, { ...shortRun, tamper, only: operationOf(operationId) });
  const [failure] = rows.flatMap((row) => row.failures);
  expect(failure?.operationId).toBe(operationId);
});
