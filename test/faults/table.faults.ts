/** `npm run test:faults`: no fault loses an acknowledged write or applies it twice. FAULT_SEED repeats a run. */
import { afterAll, expect, jest, test } from '@jest/globals';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/lib/project.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { brokenNetwork, startBrokenNetwork } from './broken-network.js';
import { type FaultyCluster, startFaultyCluster } from './cluster.js';
import {
  crashesOfPostgres,
  type Fault,
  hungPostgres,
  kills,
  noFault,
  readOnlyPostgres,
  rollOuts,
  terminatedSessions,
} from './faults.js';
import { canMakeDisks, fullDisk, makeSmallDisk, makeTablespace } from './full-disk.js';
import { blockedLog, expectRecovered, logged } from './log-output.js';
import { seeded } from '../helpers/text/random.js';
import { during, type FaultResult, seed, tableOf } from './report.js';
import { type Rig, type RigOptions, startRig } from './rig.js';

jest.setTimeout(600_000);

const results: FaultResult[] = [];

const cluster = useFixture<FaultyCluster>(startFaultyCluster, ({ stop }) => stop());

afterAll(() => {
  process.stdout.write(tableOf(results));
});

const two: RigOptions = { environments: [{}, {}] };

async function withRig<Result>(
  options: RigOptions,
  work: (rig: Rig) => Promise<Result>,
  databaseUrl?: string,
): Promise<Result> {
  const rig = await startRig(databaseUrl ?? (await cluster.createDatabase()), options);
  try {
    return await work(rig);
  } finally {
    await rig.stop();
  }
}

async function expectNothingLost(name: string, fault: Fault, rig: Rig): Promise<FaultResult> {
  const result = await during(name, fault, rig);
  results.push(result);
  expect(result).toMatchObject({ lost: [], twice: [], violations: [], surprises: [], ended: [] });
  // A fault without writes would prove nothing.
  expect(result.acknowledged).toBeGreaterThan(20);
  return result;
}

/** The longest wait of a client, also with an Idempotency-Key, after it lost its instance or its connections. */
const maxOutageMs = 8_000;

test('terminated sessions', () =>
  withRig(two, async (rig) => {
    const fault = terminatedSessions(cluster.administer, 60_000);
    const { outage } = await expectNothingLost('terminated sessions', fault, rig);
    expect(outage.other).toBeLessThan(maxOutageMs);
  }));

test.each<[string, number, () => Fault]>([
  ['PostgreSQL hangs for 20 s', 2, () => hungPostgres(cluster, 20_000)],
  ['read-only for 5 s', 2, () => readOnlyPostgres(cluster.administer, 5_000)],
  ['SIGTERM under load', 2, () => rollOuts(5)],
  ['five start at once', 5, () => noFault(5_000)],
  ['start and stop', 1, () => rollOuts(10)],
])('%s', (name, instances, fault) =>
  withRig({ environments: Array.from({ length: instances }, () => ({})) }, async (rig) => {
    await expectNothingLost(name, fault(), rig);
  }),
);

test('100 kills of one of two instances', () =>
  withRig(two, async (rig) => {
    const { outage } = await expectNothingLost('100 kills', kills(100), rig);
    expect(outage.ended).toBeLessThan(maxOutageMs);
    expect(outage.other).toBe(0);
  }));

test('PostgreSQL restarts in immediate mode', () =>
  withRig(two, async (rig) => {
    const { outage, downMs } = await expectNothingLost(
      'crash of PostgreSQL',
      crashesOfPostgres(cluster, 3),
      rig,
    );
    expect(outage.other - downMs).toBeLessThan(2_000);
  }));

test('the network splits, delays and cuts traffic', async () => {
  const network = await startBrokenNetwork(await cluster.createDatabase(), seeded(seed + 2));
  try {
    await withRig(
      two,
      async (rig) => {
        const fault = brokenNetwork(network, 30_000);
        const { outage } = await expectNothingLost('broken network', fault, rig);
        expect(outage.other).toBeLessThan(maxOutageMs);
        expect(network.cuts()).toBeGreaterThan(10);
      },
      network.url,
    );
  } finally {
    await network.close();
  }
});

(canMakeDisks ? test : test.skip)('the disk is full', async () => {
  const disk = await makeTablespace(cluster);
  try {
    const databaseUrl = await cluster.createDatabase(disk);
    await withRig(
      two,
      async (rig) => {
        await expectNothingLost('full disk for 10 s', fullDisk(disk, 10_000), rig);
      },
      databaseUrl,
    );
    await cluster.administer(`DROP DATABASE ${new URL(databaseUrl).pathname.slice(1)}`);
    await cluster.administer(`DROP TABLESPACE ${disk.tablespace}`);
  } finally {
    await disk.remove();
  }
});

/** One with a single process, and one with several. */
const logging = [logged, { ...logged, WORKERS: '2' }];

async function expectServiceWithoutLog(name: string, fault: Fault, rig: Rig): Promise<void> {
  await expectNothingLost(name, fault, rig);
  await eventually(() => Promise.all(rig.all.map(expectRecovered)));
}

(canMakeDisks ? test : test.skip)('the disk under the log is full', async () => {
  const disk = await makeSmallDisk('16m');
  try {
    await withRig({ environments: logging, logFolder: disk.folder }, (rig) =>
      expectServiceWithoutLog('log on a full disk', blockedLog(disk.fill, disk.empty), rig),
    );
  } finally {
    await disk.remove();
  }
});

test('the reader of the log stalls', () =>
  withRig({ environments: logging }, async (rig) => {
    const stall = () => {
      for (const instance of rig.all) instance.stall();
    };
    const readOn = () => {
      for (const instance of rig.all) instance.readOn();
    };
    await expectServiceWithoutLog('stalled reader of the log', blockedLog(stall, readOn), rig);
  }));

test('the clock of one instance is an hour ahead', () => {
  const shim = pathToFileURL(path.join(root, 'test/faults/clock-shift.mjs')).href;
  const ahead = { NODE_OPTIONS: `--import ${shim}`, CLOCK_SHIFT_MS: '3600000' };
  return withRig({ environments: [{}, ahead] }, async (rig) => {
    const { outage } = await expectNothingLost('clock an hour off', noFault(10_000), rig);
    expect(outage).toEqual({ ended: 0, other: 0 });
  });
});
