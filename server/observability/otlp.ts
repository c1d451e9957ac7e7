/**
 * Records, samples and sends spans, with parts of the SDK of OpenTelemetry. Imported only where traces are configured. The build
 * bundles it with what it imports, so that an installation does not have all packages of the SDK, most of whose files nobody needs.
 */
import { randomUUID } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { errorCode } from '../lib/error-code.js';
import { RecordedSpan, type SpanOrigin } from './recorded-span.js';
import { jsonBatches } from './span-json.js';
import { createSpanQueue, type SpanBatch } from './span-queue.js';
import type { SpanOptions } from './spans.js';

export interface OtlpOptions {
  url: string;
  protocol: 'http/protobuf' | 'http/json';
  headers: Record<string, string>;
  /** Of one attempt to send a batch. */
  timeoutMs: number;
  resource: Record<string, string>;
  sampler: { isParentBased: boolean; ratio: number };
  version: string;
  /** The first of consecutive failures. */
  onFailure: (reason: string) => void;
  onRecovery: () => void;
}

export interface Otlp {
  startSpan: (name: string, options: SpanOptions) => Span;
  /** What the headers of a request say of its trace; undefined unless that is valid. */
  extract: (headers: object) => SpanContext | undefined;
  /** Sends what is left, but waits for the collector no longer than a moment. */
  stop: () => Promise<void>;
}

const name = 'agent-hosting-service';

const batchSize = 1_024;
/** More spans are dropped: a collector in trouble costs traces, and neither memory nor requests. */
const maxBatches = 4;
const batchEveryMs = 2_000;
const stopTimeoutMs = 2_000;
const retryAfterMs = 1_000;

const propagator = new W3CTraceContextPropagator();

const ids = new RandomIdGenerator();

export function startOtlp(options: OtlpOptions): Otlp {
  const stopping = new AbortController();
  const attributes = {
    'service.name': name,
    'service.version': options.version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
    ...options.resource,
  };
  const clock = createClock();
  const send = createSender(options, stopping.signal);
  const queue = createSpanQueue({
    open: options.protocol === 'http/json' ? jsonBatches(attributes, name) : protobufBatch,
    send: (body) => {
      clock.adjust();
      return send(body);
    },
    batchSize,
    maxBatches,
    everyMs: batchEveryMs,
  });
  const origin: SpanOrigin = {
    resource: resourceFromAttributes(attributes),
    scope: { name, version: options.version },
    now: clock.now,
    onEnd: queue.add,
  };
  return {
    startSpan: createStart(options.sampler, origin),
    extract: (headers) =>
      'traceparent' in headers
        ? trace.getSpanContext(propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter))
        : undefined,
    stop: async () => {
      const timer = new AbortController();
      const flushed = queue.flush();
      await Promise.race([
        flushed,
        delay(stopTimeoutMs, undefined, { signal: timer.signal }).catch(() => undefined),
      ]);
      timer.abort();
      stopping.abort();
      await flushed;
    },
  };
}

/** Spans as they are until they are sent. */
function protobufBatch(): SpanBatch<RecordedSpan> {
  const spans: RecordedSpan[] = [];
  return {
    add: (span) => {
      spans.push(span);
    },
    encode: () => Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) ?? []),
  };
}

/** The clock of the machine, as exact as the monotonic one, which it is compared with now and then. */
function createClock(): { now: () => number; adjust: () => void } {
  const maxDriftMs = 50;
  let offset = Date.now() - performance.now();
  return {
    now: () => offset + performance.now(),
    adjust: () => {
      const drift = Date.now() - performance.now() - offset;
      if (Math.abs(drift) > maxDriftMs) offset += drift;
    },
  };
}

function createStart(
  { isParentBased, ratio }: OtlpOptions['sampler'],
  origin: SpanOrigin,
): Otlp['startSpan'] {
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const isInRatio = (traceId: string) =>
    ratio === 1 ||
    sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  return (spanName, { kind, parent, attributes }) => {
    const traceId = parent?.traceId ?? ids.generateTraceId();
    const isSampled =
      parent && isParentBased ? (parent.traceFlags & TraceFlags.SAMPLED) !== 0 : isInRatio(traceId);
    const context: SpanContext = {
      traceId,
      spanId: ids.generateSpanId(),
      traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
      ...(parent?.traceState ? { traceState: parent.traceState } : {}),
    };
    return isSampled
      ? new RecordedSpan({ name: spanName, kind, attributes, context, parent }, origin)
      : trace.wrapSpanContext(context);
  };
}

/** Resolves when a batch was received, or given up. */
type Send = (body: Buffer<ArrayBuffer>) => Promise<void>;

const contentTypes = {
  'http/json': 'application/json',
  'http/protobuf': 'application/x-protobuf',
} as const;

function createSender(options: OtlpOptions, stopping: AbortSignal): Send {
  const { url, timeoutMs, onFailure, onRecovery } = options;
  const headers = { ...options.headers, 'content-type': contentTypes[options.protocol] };
  let isFailing = false;

  const send = async (body: Buffer<ArrayBuffer>): Promise<SendResult> => {
    const limit = AbortSignal.timeout(timeoutMs);
    const status = await post(url, headers, body, AbortSignal.any([stopping, limit])).catch(
      (error: unknown) => {
        throw limit.aborted ? limit.reason : error;
      },
    );
    return status >= 200 && status < 300
      ? {}
      : {
          problem: `the collector answered with status ${status}`,
          mayRetry: [429, 502, 503, 504].includes(status),
        };
  };
  const attempt = (body: Buffer<ArrayBuffer>) =>
    send(body).catch((error: unknown) => ({ problem: reasonOf(error), mayRetry: true }));

  const sendWithRetry = async (body: Buffer<ArrayBuffer>): Promise<SendResult> => {
    const first = await attempt(body);
    if (first.mayRetry !== true) return first;
    const isOver = await delay(retryAfterMs, false, { signal: stopping }).catch(() => true);
    return isOver ? first : attempt(body);
  };

  return async (body) => {
    const { problem } = stopping.aborted ? { problem: undefined } : await sendWithRetry(body);
    if (problem === undefined && isFailing) onRecovery();
    if (problem !== undefined && !isFailing) onFailure(problem);
    isFailing = problem !== undefined;
  };
}

interface SendResult {
  /** Undefined if it was received. */
  problem?: string;
  mayRetry?: boolean;
}

/** Resolves to the status. `fetch` would follow redirects, and costs several times as much. */
function post(
  url: string,
  headers: Record<string, string>,
  body: Buffer<ArrayBuffer>,
  signal: AbortSignal,
): Promise<number> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': body.length } };
    request(url, { ...options, signal }, (response) => {
      response.resume().once('error', reject);
      response.once('end', () => {
        resolve(response.statusCode ?? 0);
      });
    })
      .once('error', reject)
      .end(body);
  });
}

/** Never the message of a library, which may contain the URL or a header. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return 'the collector did not answer in time';
  const code = errorCode(error);
  return `the connection to the collector failed${code === undefined ? '' : ` (${code})`}`;
}
