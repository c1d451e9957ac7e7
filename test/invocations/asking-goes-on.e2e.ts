/** An instance is stopped or killed while one agent waits for another: the run goes on elsewhere, and the other is not asked again. */
import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { apiClient } from '../helpers/service/api.js';
import { environmentFor } from '../helpers/service/service.js';
import { asking, saying, silent, useAskingAgents } from './asking-agents.js';
import { message, recordsOf } from './service-with-model.js';

// The first instance runs no asynchronous invocations.
const { fixture, tenant, newAgent, script, resultsOf, invocations } = useAskingAgents({
  ASYNC_CONCURRENCY: '0',
});
const processes: ServiceProcess[] = [];

afterEach(async () => {
  await Promise.all(processes.splice(0).map((service) => service.end('SIGKILL')));
});

async function start(): Promise<ServiceProcess> {
  const started = await startServiceProcess({
    environment: {
      ...environmentFor(fixture.service),
      LOCAL_BASE_URL: `${fixture.provider.url}/v1`,
      ALLOW_PRIVATE_TARGETS: 'true',
      SHUTDOWN_TIMEOUT_MS: '1500',
      WORKER: 'off',
    },
  });
  processes.push(started);
  return started;
}

test.each<[NodeJS.Signals, string[]]>([
  ['SIGTERM', ['boss succeeded', 'clerk succeeded', 'slow unavailable']],
  // What it had done is lost, and its tokens with it.
  ['SIGKILL', ['boss succeeded', 'clerk succeeded']],
])(
  '%s: the other one is told that the effect is unknown, and what ended before still counts',
  async (signal, expected) => {
    await newAgent('boss', { asks: ['clerk', 'slow'] });
    await newAgent('clerk');
    await newAgent('slow');
    script({
      boss: [asking(['clerk', 'A']), asking(['slow', 'B']), saying('Done.')],
      clerk: [saying('Here.')],
      slow: [silent],
    });
    const doomed = await start();
    const { data } = await apiClient(doomed.url, tenant().key).expect(
      'invokeAgent',
      202,
      message('boss', 'Begin.', { headers: { prefer: 'respond-async' } }),
    );
    await fixture.provider.asked(4, 30_000);
    await doomed.end(signal);
    if (signal === 'SIGKILL') {
      await fixture.service.database.pool.query(
        'UPDATE invocations SET available_at = now() WHERE lease_owner IS NOT NULL',
      );
    }
    await start();
    await eventually(async () => {
      const { invocation } = await recordsOf(fixture.service, data.request_id);
      expect(invocation?.status).toBe('succeeded');
    }, 30_000);
    expect(resultsOf('boss')).toEqual(['Here.', expect.stringContaining('Its effect is unknown')]);
    const rows = await invocations();
    expect(rows.map((row) => `${row.agent} ${row.errorCode ?? row.status}`).sort()).toEqual(
      expected,
    );
    const { logs } = await recordsOf(fixture.service, data.request_id);
    expect(logs.at(-1)?.metadata).toMatchObject({ tokens_used: 231 + 11, own_tokens: 231 });
    expect(fixture.provider.prompts().filter(({ model }) => model === 'slow')).toHaveLength(1);
    expect(await fixture.service.database.prisma.runStep.count()).toBe(0);
  },
  120_000,
);
