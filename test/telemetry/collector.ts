/** An OpenTelemetry collector for tests: receives spans and metrics over OTLP in JSON, on loopback. */
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { startHttpServer } from '../helpers/servers/http-server.js';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  start: bigint;
  end: bigint;
  attributes: Record<string, unknown>;
  /** 2 is an error. */
  status: number;
  traceState: string | undefined;
  resource: Record<string, unknown>;
}

/** The last data point of a metric that a process has sent. */
export interface CollectedPoint {
  name: string;
  type: 'gauge' | 'sum' | 'histogram';
  /** The sum of a histogram. */
  value: number;
  /** For a histogram: the number of values below each boundary and in total. */
  counts?: { buckets: number[]; boundaries: number[]; all: number };
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

/** As numbers on the wire. */
export const kinds = { internal: 1, server: 2, client: 3 };

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** The last points of each process, by its id. */
  points: Map<unknown, CollectedPoint[]>;
  requests: { path: string | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }[];
  /** How it answers the next batches; undefined means it accepts them. */
  behave: ((res: ServerResponse) => void) | undefined;
  /** Waits for a span. */
  span: (matches: (span: CollectedSpan) => boolean) => Promise<CollectedSpan>;
  stop: () => Promise<void>;
}

export function useCollector(): Collector {
  return useFixture(startCollector, (collector) => collector.stop());
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const points: Collector['points'] = new Map();
  const requests: Collector['requests'] = [];
  const collector: Pick<Collector, 'behave'> = { behave: undefined };
  const server = await startHttpServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      requests.push({ path: req.url, headers: req.headers, body });
      if (collector.behave) {
        collector.behave(res);
        return;
      }
      if (req.headers['content-type'] === 'application/json') {
        if (req.url === '/v1/metrics') {
          const sent = pointsIn(body);
          points.set(sent[0]?.resource['service.instance.id'], sent);
        } else {
          spans.push(...spansIn(body));
        }
      }
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    })();
  });
  return Object.assign(collector, {
    url: server.url,
    spans,
    points,
    requests,
    stop: server.stop,
    span: (matches: (span: CollectedSpan) => boolean) =>
      eventually(() => {
        const found = spans.find(matches);
        if (!found) throw new Error(`Not among ${spans.map(({ name }) => name).join(', ')}.`);
        return found;
      }, 20_000),
  });
}

interface WireValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: WireValue[] };
}

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: WireAttribute[];
  status: { code?: number };
}

interface WireAttribute {
  key: string;
  value: WireValue;
}

interface WireRequest {
  resourceSpans: {
    resource: { attributes: WireAttribute[] };
    scopeSpans: { spans: WireSpan[] }[];
  }[];
}

function spansIn(body: Buffer): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as WireRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        kind: span.kind,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        status: span.status.code ?? 0,
        traceState: span.traceState,
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
}

interface WirePoint {
  attributes: WireAttribute[];
  asDouble?: number;
  asInt?: number | string;
  sum?: number;
  count?: number | string;
  bucketCounts?: (number | string)[];
  explicitBounds?: number[];
}

interface WireMetrics {
  resourceMetrics: {
    resource: { attributes: WireAttribute[] };
    scopeMetrics: {
      metrics: ({ name: string } & Partial<
        Record<CollectedPoint['type'], { dataPoints: WirePoint[] }>
      >)[];
    }[];
  }[];
}

const pointTypes = ['gauge', 'sum', 'histogram'] as const;

function pointsIn(body: Buffer): CollectedPoint[] {
  const { resourceMetrics } = JSON.parse(body.toString()) as WireMetrics;
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap((metric) =>
        pointTypes.flatMap((type) =>
          (metric[type]?.dataPoints ?? []).map((point) => ({
            name: metric.name,
            type,
            value: Number(point.asDouble ?? point.asInt ?? point.sum),
            ...(point.bucketCounts && {
              counts: {
                buckets: point.bucketCounts.map(Number),
                boundaries: point.explicitBounds ?? [],
                all: Number(point.count),
              },
            }),
            attributes: attributesOf(point.attributes),
            resource: attributesOf(resource.attributes),
          })),
        ),
      ),
    ),
  );
}

function attributesOf(attributes: WireAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf(value: WireValue): unknown {
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.arrayValue) return value.arrayValue.values.map(valueOf);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
