/** Durable invocations of `builtin/echo`, compared with a bare express server with one INSERT per request. */
import { withInstallation } from './lib/installation.js';
import { type BenchContext, figure, type Figure, share } from './lib/report.js';
import { connections, insertMessage, invoke } from './lib/requests.js';
import { type Contender, type Measured, measureInTurn } from './lib/rounds.js';
import type { Server } from './lib/servers.js';
import { targets } from './lib/targets.js';

interface Volume {
  connections: number;
  requests: number;
  ids?: 'each' | 'tens';
}

const requests = 6_000;
const many: Volume = { connections, requests };
const alone: Volume = { connections: 1, requests: 1_500 };

export function benchInvoke(context: BenchContext): Promise<Figure[]> {
  return withInstallation(async ({ cluster, start, newCluster, newTenant }) => {
    const bareCluster = await newCluster();
    const bare = await start({}, ['scripts/bench/servers/bare.ts', bareCluster.url]);
    const plain = await start();
    const sink = await start({}, ['scripts/bench/servers/trace-sink.ts']);
    const traced = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: sink.url });
    const tenant = await newTenant();
    const limited = await newTenant({ isLimited: true });

    const toBare = (load: Volume): Contender => ({
      pids: { node: bare.pid, postgres: bareCluster.pid },
      load: () => ({ ...load, url: bare.url, send: [insertMessage] }),
    });
    const toService = (
      { url, pid }: Server,
      load: Volume,
      request = invoke(tenant),
    ): Contender => ({
      pids: { node: pid, postgres: cluster.pid },
      load: () => ({ ...load, url, send: [request] }),
    });
    const inSession = invoke(tenant, { context: { session_id: '[<id>]' } });
    const withKey = invoke(tenant, { headers: { 'idempotency-key': '[<id>]' } });
    const { median, ratio } = await measureInTurn(
      {
        bare: toBare(many),
        plain: toService(plain, many),
        traced: toService(traced, many),
        session: toService(plain, { ...many, ids: 'tens' }, inSession),
        key: toService(plain, { ...many, ids: 'each' }, withKey),
        limited: toService(plain, many, invoke(limited)),
        bareAlone: toBare(alone),
        plainAlone: toService(plain, alone),
      },
      context,
    );
    const goals = targets.invoke;
    const extraMs = median('plainAlone', 'p50') - median('bareAlone', 'p50');
    const ofBare = (metric: keyof Measured) => ratio('plain', 'bare', metric);
    return [
      figure('bare server, 32 connections', median('bare', 'perSecond'), 'a second'),
      figure('Invoke, 32 connections', median('plain', 'perSecond'), 'a second'),
      share('Invoke, of the bare server', ofBare('perSecond'), goals.throughput),
      figure('Invoke, p99', median('plain', 'p99'), 'ms'),
      figure('one connection, more than the bare server', extraMs, 'ms', goals.extraMs),
      figure('Node CPU of an invocation', median('plain', 'nodeCpu'), 'µs'),
      share('Node CPU, of the bare server', ofBare('nodeCpu'), goals.nodeCpu),
      share('PostgreSQL CPU, of the bare server', ofBare('postgresCpu'), goals.postgresCpu),
      share('in a session, of plain', ratio('session', 'plain', 'perSecond'), goals.session),
      share('with an Idempotency-Key, of plain', ratio('key', 'plain', 'perSecond'), goals.key),
      share('counted against a rate limit, of plain', ratio('limited', 'plain', 'perSecond')),
      share('Node CPU with tracing, of plain', ratio('traced', 'plain', 'nodeCpu'), goals.traced),
    ];
  });
}
