/** The fuzzer finds what it is there to find: each fault of a list, in the operation that has it. */
import { afterAll, expect, test } from '@jest/globals';
import { operationOf } from './contract.js';
import { seededFaults } from './faults.js';
import { fuzz } from './fuzzer.js';
import { useFuzzedService } from './service.js';
import { shortRun } from './settings.js';
import { tableOf } from '../helpers/table.js';

const service = useFuzzedService();

const found: string[][] = [];

afterAll(() => {
  process.stdout.write(tableOf(['seeded fault', 'requests', 'left', 'found by'], found));
});

test.each(seededFaults)('$operationId $name', async ({ operationId, tamper, name }) => {
  const rows = await fuzz(service, { ...shortRun, tamper, only: operationOf(operationId) });
  const [failure] = rows.flatMap((row) => row.failures);
  const requests = rows.reduce((sum, { valid, broken }) => sum + valid + broken, 0);
  const shrunk = failure?.curl.length ?? 0;
  found.push([
    `${operationId} ${name}`,
    String(requests),
    String(shrunk),
    failure?.kind ?? 'nobody',
  ]);
  expect(failure?.operationId).toBe(operationId);
});
