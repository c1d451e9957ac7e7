/** `npm run bench -- --peers`: this service beside Mastra's and VoltAgent's own servers, on the same Node and PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchContext } from '../lib/context.js';
import { withEnvironment } from '../lib/environment.js';
import { connections } from '../lib/loads.js';
import { measureInTurn, medianOf } from '../lib/measure.js';
import { type Alone, measureAlone } from './alone.js';
import { residentMemory } from './footprint.js';
import { install } from './install.js';
import { peers, preparePeer } from './peers.js';
import { type Kind, kinds } from './server.js';
import { prepareService } from './service.js';
import { startMeasured, type Started } from './start.js';
import { footprintTable, invocationTable } from './tables.js';

/** Before the memory of a server that has just started is read. */
const restMs = 3_000;
const kindNames = Object.keys(kinds) as Kind[];

export async function benchPeers({ rounds = 4, report }: BenchContext): Promise<void> {
  for (const { project } of peers) await install(project);
  await withEnvironment(async (environment) => {
    const modelUrl = `${await environment.start(['scripts/bench/peers/model-server.ts'])}/v1`;
    const servers = [await prepareService(environment, modelUrl)];
    for (const peer of peers) servers.push(await preparePeer(environment, modelUrl, peer));

    const started: Started[] = [];
    for (const server of servers) started.push(await startMeasured(environment, server));
    await delay(restMs);
    const atRest = await Promise.all(started.map(({ pid }) => residentMemory(pid)));
    const contenders = kindNames.flatMap((kind) =>
      started.map(({ server, url }) => ({
        title: server.title,
        url,
        load: () => server.load(url, kind),
      })),
    );
    const results = await measureInTurn(environment, contenders, rounds);
    const alone = new Map<Kind, Alone[]>();
    for (const kind of kindNames) alone.set(kind, await measureAlone(started, kind));

    const note = `${connections} callers, medians of ${rounds} rounds in turn; then one caller, and what PostgreSQL does for it`;
    for (const [index, kind] of kindNames.entries()) {
      report(
        invocationTable({
          title: kinds[kind],
          note,
          started,
          alone: alone.get(kind) ?? [],
          medianOf: (server, metric) => medianOf(results, index * servers.length + server, metric),
        }),
      );
    }
    report(
      await footprintTable(
        started,
        atRest.map(({ now }) => now),
      ),
    );
  });
}
