/** The processor time of processes, as the benchmarks read it. */
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { parseStat, processorSeconds } from '../../scripts/bench/lib/processor-time.js';

test('a process may have any name', () => {
  const line = '42 (a) b (c) R 7 42 42 0 -1 0 1 2 3 4 150 50 20 10 20 0 1 0 0';
  expect(parseStat(line)).toEqual({ pid: 42, parent: 7, own: 2, ended: 0.3 });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('counts what its children used, also when they have ended', async () => {
  const before = await processorSeconds(process.pid);
  const spin = 'while (process.cpuUsage().user < 200_000);';
  execFileSync(process.execPath, ['-e', spin]);
  const after = await processorSeconds(process.pid);
  expect(after - before).toBeGreaterThanOrEqual(0.19);
});

test('a process that does not exist has no processor time', async () => {
  expect(await processorSeconds(2 ** 30)).toBeNaN();
});
