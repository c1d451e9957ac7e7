/** Invocations of builtin/echo, all durable: beside a bare express server with one INSERT each, and in their other forms. */
import { startBareServer } from './invoke/start-bare-server.js';
import { onMachine } from './lib/busy-cores.js';
import { compare, type Compared } from './lib/compare.js';
import type { BenchContext } from './lib/context.js';
import { withEnvironment } from './lib/environment.js';
import { connections, insertOne, invoke, invokeInSession, invokeWithKey } from './lib/loads.js';
import { targets } from './lib/targets.js';
import { newTenant } from './lib/tenant.js';

const { nodeCpu, databaseCpu, session, idempotencyKey, ...throughput } = targets.invoke;
const note = `${connections} connections, commits are durable, every request is logged`;

export async function benchInvoke({ rounds = 5, machines, report }: BenchContext): Promise<void> {
  await withEnvironment(async (environment) => {
    const bare = await startBareServer(environment);
    const url = await environment.startService();
    // One agent receives the whole load of a round.
    const tenant = () => newTenant(environment.database, environment.secrets);
    const plain: Compared = {
      title: 'Invoke Agent',
      url,
      load: async () => invoke(url, await tenant()),
    };
    for (const machine of machines) {
      const contenders: Compared[] = [
        { title: 'express + INSERT', url: bare, load: () => insertOne(bare) },
        {
          ...plain,
          base: 'express + INSERT',
          goals: { perSecond: throughput[machine], nodeCpu, databaseCpu },
        },
      ];
      const options = { title: `Invoke on a ${machine} machine`, note, rounds };
      report(await onMachine(machine, () => compare(environment, contenders, options)));
    }
    if (!machines.includes('free')) return;
    const forms: Compared[] = [
      plain,
      {
        title: 'in a session',
        url,
        load: async () => invokeInSession(url, await tenant()),
        base: plain.title,
        goals: { perSecond: session },
      },
      {
        title: 'with an Idempotency-Key',
        url,
        load: async () => invokeWithKey(url, await tenant()),
        base: plain.title,
        goals: { perSecond: idempotencyKey },
      },
    ];
    report(await compare(environment, forms, { title: 'Forms of Invoke', note, rounds }));
  });
}
