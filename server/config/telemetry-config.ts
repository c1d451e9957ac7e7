/** The variables of metrics and traces. Those of traces are the standard ones of OpenTelemetry, most of which its SDK reads. */
import type { Environment, Reader } from './environment.js';

export interface MetricsConfig {
  /** The bearer token that a scrape must present. Undefined: none. */
  token: string | undefined;
  /** A separate listener. Undefined: metrics are on the port of the service. */
  listener: { port: number; host: string } | undefined;
}

export interface TracingConfig {
  /** All variables of OpenTelemetry, which its SDK reads itself. */
  environment: Record<string, string>;
  /** Whether spans contain the texts of messages, and the arguments and results of tools. */
  captureContent: boolean;
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

/** By the standard of bearer tokens; other characters cannot be sent. */
function isUsableToken(token: string): boolean {
  return token.length >= minTokenLength && /^[\w\-.~+/]+=*$/.test(token);
}

const schemes = ['http:', 'https:'];

/** Undefined: tracing is off. It is on if a collector is named, or the exporter. */
export function tracingConfig(read: Reader, environment: Environment): TracingConfig | undefined {
  const base = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', schemes, 'http://127.0.0.1:4318');
  const whole = read.url(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    schemes,
    'http://127.0.0.1:4318/v1/traces',
  );
  const exporter = read.text('OTEL_TRACES_EXPORTER');
  const captureContent = read.flag('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT');
  const isDisabled = read.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  const isWanted = exporter === 'otlp' || (base ?? whole) !== undefined;
  if (isDisabled || exporter === 'none' || !isWanted) return undefined;
  return { environment: openTelemetryVariables(environment), captureContent };
}

function openTelemetryVariables(environment: Environment): Record<string, string> {
  const isVariable = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[0].startsWith('OTEL_') && entry[1] !== undefined;
  return Object.fromEntries(Object.entries(environment).filter(isVariable));
}
