/** The variables of metrics and traces. Those of traces are the standard ones of OpenTelemetry. */
import type { Reader } from './environment.js';

export interface MetricsConfig {
  /** What a scrape must present as its bearer token. Undefined: nothing. */
  token: string | undefined;
  /** A listener for metrics alone. Undefined: they are on the port of the service. */
  listener: { port: number; host: string } | undefined;
}

export interface TracingConfig {
  /** Where spans are sent. */
  url: string;
  protocol: (typeof protocols)[number];
  headers: Record<string, string>;
  timeoutMs: number;
  /** What describes this process beside its name. */
  resource: Record<string, string>;
  sampler: SamplerConfig;
  /** Whether spans have the texts of messages, and the arguments and results of tools. */
  captureContent: boolean;
}

export interface SamplerConfig {
  /** Whether a caller's decision counts. */
  isParentBased: boolean;
  /** Of traces that begin here. */
  ratio: number;
}

const minTokenLength = 16;

/** Undefined: there are no metrics. */
export function metricsConfig(
  read: Reader,
  service: { port: number; host: string },
): MetricsConfig | undefined {
  const token = read.text('METRICS_TOKEN');
  const host = read.text('METRICS_HOST');
  if (token !== undefined && !isUsableToken(token)) {
    read.problems.push(
      `METRICS_TOKEN must have at least ${minTokenLength} characters, and none but letters, digits and -._~+/=. ` +
        'Generate one with: openssl rand -hex 24',
    );
  }
  if (read.text('METRICS_PORT') === undefined) {
    if (host !== undefined) {
      read.problems.push('METRICS_HOST only has an effect together with METRICS_PORT.');
    }
    return token === undefined ? undefined : { token, listener: undefined };
  }
  const port = read.integer('METRICS_PORT', { fallback: 0, min: 0, max: 65_535 });
  if (port !== 0 && port === service.port) {
    read.problems.push(
      `METRICS_PORT must be another port than PORT, which is ${port} too. ` +
        'For metrics on the port of the service, set METRICS_TOKEN instead.',
    );
  }
  return { token, listener: { port, host: host ?? service.host } };
}

/** As the standard of bearer tokens has it: anything else cannot be sent. */
function isUsableToken(token: string): boolean {
  return token.length >= minTokenLength && /^[\w\-.~+/]+=*$/.test(token);
}

/** Unlike the standard has it, JSON is the default: every collector takes it, and people can read it. */
const protocols = ['http/json', 'http/protobuf'] as const;
const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;
const schemes = ['http:', 'https:'];
const example = 'http://127.0.0.1:4318';
const wholeExample = 'http://127.0.0.1:4318/v1/traces';

/** Undefined: there are no traces. All variables are read nevertheless, so that a mistake in one is found. */
export function tracingConfig(read: Reader): TracingConfig | undefined {
  const base = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', schemes, example);
  const whole = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', schemes, wholeExample);
  const url = whole ?? (base && new URL('v1/traces', base.replace(/\/*$/, '/')).href);
  const isOff = read.flag('OTEL_SDK_DISABLED') || read.text('OTEL_TRACES_EXPORTER') === 'none';
  const config = {
    protocol: read.oneOf(exporterVariable(read, 'PROTOCOL'), protocols, 'http/json'),
    headers: pairs(read, exporterVariable(read, 'HEADERS'), 'authorization=Bearer%20abc,x-team=a'),
    timeoutMs: read.integer(exporterVariable(read, 'TIMEOUT'), {
      fallback: 10_000,
      min: 1,
      max: 60_000,
    }),
    resource: {
      ...pairs(read, 'OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=production'),
      ...named(read.text('OTEL_SERVICE_NAME')),
    },
    sampler: samplerConfig(read),
    captureContent: read.flag('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'),
  };
  return url === undefined || isOff ? undefined : { url, ...config };
}

/** That of traces takes precedence over that of all signals. */
function exporterVariable(read: Reader, setting: string): string {
  const ofTraces = `OTEL_EXPORTER_OTLP_TRACES_${setting}`;
  return read.text(ofTraces) === undefined ? `OTEL_EXPORTER_OTLP_${setting}` : ofTraces;
}

function named(name: string | undefined): Record<string, string> {
  return name === undefined ? {} : { 'service.name': name };
}

function samplerConfig(read: Reader): SamplerConfig {
  const name = read.oneOf('OTEL_TRACES_SAMPLER', samplers, 'parentbased_always_on');
  const argument = read.text('OTEL_TRACES_SAMPLER_ARG');
  const isParentBased = name.startsWith('parentbased_');
  if (name.endsWith('always_on')) return { isParentBased, ratio: 1 };
  if (name.endsWith('always_off')) return { isParentBased, ratio: 0 };
  const ratio = argument === undefined ? 1 : Number(argument);
  if (!(ratio >= 0 && ratio <= 1)) {
    read.problems.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not '${argument}'.`);
  }
  return { isParentBased, ratio };
}

/** `name=value,name=value`, with values in percent-encoding. What is wrong with one is not shown: it may be a secret. */
function pairs(read: Reader, name: string, example: string): Record<string, string> {
  const items = (read.text(name) ?? '').split(',').filter((item) => item.trim() !== '');
  const decoded = items.map(decodePair);
  if (decoded.includes(undefined)) {
    read.problems.push(`${name} must be pairs separated by commas, such as ${example}.`);
  }
  return Object.fromEntries(decoded.flatMap((pair) => (pair ? [pair] : [])));
}

function decodePair(item: string): [string, string] | undefined {
  const equals = item.indexOf('=');
  const key = item.slice(0, Math.max(0, equals)).trim();
  if (!/^[\w.\-/]+$/.test(key)) return undefined;
  try {
    return [key, decodeURIComponent(item.slice(equals + 1).trim())];
  } catch {
    return undefined;
  }
}
