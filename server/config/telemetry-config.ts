/**
 * The variables of metrics and traces. Those of OpenTelemetry are often injected for all programs of a platform, so a value that
 * is of no use here is a warning and never keeps the service from starting. Most of them are read by the SDK.
 */
import type { Environment, Reader } from './environment.js';

const protocols = ['http/protobuf', 'http/json'] as const;
type OtlpProtocol = (typeof protocols)[number];

export interface MetricsConfig {
  /** The bearer token that a scrape must present. Undefined: none. */
  token: string | undefined;
  /** A separate listener. Undefined: metrics are on the port of the service. */
  listener: { port: number; host: string } | undefined;
  /** Undefined: they are not sent, only read. */
  otlp: OtlpConfig | undefined;
}

/** How a signal of OpenTelemetry is sent to a collector. */
export interface OtlpConfig {
  /** All variables of OpenTelemetry, which its SDK reads itself. */
  environment: Record<string, string>;
  protocol: OtlpProtocol;
}

export interface TracingConfig extends OtlpConfig {
  /** At least one. */
  exporters: readonly ('otlp' | 'console')[];
  /** Whether spans contain the texts of messages, and the arguments and results of tools. */
  captureContent: boolean;
}

const minTokenLength = 16;

/** Undefined: there are no metrics. */
export function metricsConfig(
  read: Reader,
  environment: Environment,
  service: { port: number; host: string },
): MetricsConfig | undefined {
  const otlp = otlpMetricsConfig(read, environment);
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
    return token === undefined && !otlp ? undefined : { token, listener: undefined, otlp };
  }
  const port = read.integer('METRICS_PORT', { fallback: 0, min: 0, max: 65_535 });
  if (port !== 0 && port === service.port) {
    read.problems.push(
      `METRICS_PORT must be another port than PORT, which is ${port} too. ` +
        'For metrics on the port of the service, set METRICS_TOKEN instead.',
    );
  }
  return { token, listener: { port, host: host ?? service.host }, otlp };
}

/** By the standard of bearer tokens; other characters cannot be sent. */
function isUsableToken(token: string): boolean {
  return token.length >= minTokenLength && /^[\w\-.~+/]+=*$/.test(token);
}

type Signal = 'TRACES' | 'METRICS';

/** Undefined: tracing is off. It is on if a collector is named, or an exporter. */
export function tracingConfig(read: Reader, environment: Environment): TracingConfig | undefined {
  const known = ['otlp', 'console'] as const;
  const isCollectorNamed = endpointOf(read, 'TRACES').value !== undefined;
  const exporters = chooseExporters(read, 'TRACES', known, isCollectorNamed ? ['otlp'] : []);
  const captureContent = lenientFlag(read, 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT');
  if (exporters.length === 0) return undefined;
  return { ...otlpConfig(read, environment, 'TRACES'), exporters, captureContent };
}

/** Undefined: metrics are not sent. Unlike traces, a collector alone does not turn them on: they are there to be scraped. */
function otlpMetricsConfig(read: Reader, environment: Environment): OtlpConfig | undefined {
  if (chooseExporters(read, 'METRICS', ['otlp'], []).length === 0) return undefined;
  const temporality = 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE';
  if ((read.text(temporality) ?? 'cumulative').toLowerCase() !== 'cumulative') {
    warn(read, `${temporality} has no effect: metrics are always sent as cumulative.`);
  }
  return otlpConfig(read, environment, 'METRICS');
}

function chooseExporters<Name extends string>(
  read: Reader,
  signal: Signal,
  known: readonly Name[],
  fallback: readonly Name[],
): readonly Name[] {
  const variable = `OTEL_${signal}_EXPORTER`;
  const named = (read.text(variable) ?? '').split(',').map((name) => name.trim());
  if (lenientFlag(read, 'OTEL_SDK_DISABLED') || named.includes('none')) return [];
  const isKnown = (name: string): name is Name => known.some((one) => one === name);
  for (const name of named) {
    if (name === '' || isKnown(name)) continue;
    const choices = [...known, 'none'].join(', ');
    warn(read, `${variable} does not support '${name}', which is ignored. Use one of ${choices}.`);
  }
  const chosen = named.some(isKnown) ? named.filter(isKnown) : fallback;
  const { variable: endpoint, value } = endpointOf(read, signal);
  if (!chosen.some((name) => name === 'otlp') || value === undefined || isHttpUrl(value)) {
    return chosen;
  }
  // The value is left out of the message: it may contain a password.
  warn(
    read,
    `${endpoint} must be a URL such as http://127.0.0.1:4318. Until it is, no ${signal.toLowerCase()} are sent.`,
  );
  return chosen.filter((name) => name !== 'otlp');
}

/** The variable of the signal itself has precedence over the one for all of them. */
function endpointOf(read: Reader, signal: Signal) {
  return firstSet(read, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT');
}

function otlpConfig(read: Reader, environment: Environment, signal: Signal): OtlpConfig {
  const { variable, value = 'http/protobuf' } = firstSet(
    read,
    `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`,
    'OTEL_EXPORTER_OTLP_PROTOCOL',
  );
  const protocol = protocols.find((one) => one === value);
  if (protocol === undefined) {
    const advice = value === 'grpc' ? ` ${portAdvice(endpointOf(read, signal))}` : '';
    warn(read, `${variable} does not support '${value}': http/protobuf is used instead.${advice}`);
  }
  return {
    environment: openTelemetryVariables(environment),
    protocol: protocol ?? 'http/protobuf',
  };
}

/** The port is not changed here: only the operator knows where the collector takes HTTP. */
function portAdvice({ variable, value }: { variable: string; value: string | undefined }): string {
  const ports = 'Collectors take gRPC and HTTP at different ports, usually 4317 and 4318';
  return value !== undefined && isHttpUrl(value) && new URL(value).port === '4317'
    ? `${ports}: the port in ${variable} is 4317, so set it to that of HTTP.`
    : `${ports}: make sure that ${variable} names that of HTTP.`;
}

function firstSet(read: Reader, first: string, second: string) {
  // Both are read, so that both are known as settings.
  const [own, common] = [read.text(first), read.text(second)];
  return own === undefined ? { variable: second, value: common } : { variable: first, value: own };
}

function lenientFlag(read: Reader, name: string): boolean {
  const value = read.text(name)?.toLowerCase() ?? 'false';
  if (value !== 'true' && value !== 'false') {
    warn(read, `${name} must be true or false, not '${value}'. It counts as false.`);
  }
  return value === 'true';
}

/** Several signals may have the same to say. */
function warn({ warnings }: Reader, warning: string): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function openTelemetryVariables(environment: Environment): Record<string, string> {
  const isVariable = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[0].startsWith('OTEL_') && entry[1] !== undefined;
  return Object.fromEntries(Object.entries(environment).filter(isVariable));
}
