/**
 * Reads the variables of metrics and traces. Platforms often inject OpenTelemetry variables into all programs, so an unsupported
 * value is a warning and never prevents a start. The SDK reads most of them itself.
 */
import type { Environment, Reader } from './environment.js';

const protocols = ['http/protobuf', 'http/json'] as const;
type OtlpProtocol = (typeof protocols)[number];

export interface MetricsConfig {
  /** The bearer token that a scrape must present. Undefined: no token is required. */
  token: string | undefined;
  /** A separate listener. Undefined: metrics are served on the port of the service. */
  listener: { port: number; host: string } | undefined;
}

type Exporter = 'otlp' | 'console';

export interface TracingConfig {
  /** All OpenTelemetry variables, for the SDK. */
  environment: Record<string, string>;
  protocol: OtlpProtocol;
  /** Never empty. */
  exporters: readonly Exporter[];
  /** Whether spans contain message texts, tool arguments and tool results. */
  captureContent: boolean;
}

const minTokenLength = 16;

/** Undefined: metrics are off. */
export function metricsConfig(
  read: Reader,
  service: { port: number; host: string },
): MetricsConfig | undefined {
  const token = read.text('METRICS_TOKEN');
  const address = read.text('METRICS_PORT');
  if (token !== undefined && !isUsableToken(token)) {
    read.problems.push(
      `METRICS_TOKEN must have at least ${minTokenLength} characters, and none but letters, digits and -._~+/=. ` +
        'Generate one with: openssl rand -hex 24',
    );
  }
  if (address === undefined) {
    return token === undefined ? undefined : { token, listener: undefined };
  }
  // An IPv6 address is in brackets, as in a URL.
  const [, host, digits] = /^(?:([^:]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(address) ?? [];
  const port = Number(digits);
  if (!(port <= 65_535)) {
    read.problems.push(
      `METRICS_PORT must be a port from 0 to 65535, or host:port such as 0.0.0.0:9464, not '${address}'.`,
    );
  }
  if (port !== 0 && port === service.port) {
    read.problems.push(
      `METRICS_PORT must be another port than PORT, which is ${port} too. ` +
        'For metrics on the port of the service, set METRICS_TOKEN instead.',
    );
  }
  return { token, listener: { port, host: host?.replace(/^\[|\]$/g, '') ?? service.host } };
}

/** The characters are those that RFC 6750 allows in a bearer token. */
function isUsableToken(token: string): boolean {
  return token.length >= minTokenLength && /^[\w\-.~+/]+=*$/.test(token);
}

/** Tracing is on if a collector or an exporter is configured. Undefined: tracing is off. */
export function tracingConfig(read: Reader, environment: Environment): TracingConfig | undefined {
  const exporters = chooseExporters(read);
  const captureContent = lenientFlag(read, 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT');
  if (exporters.length === 0) return undefined;
  return {
    environment: openTelemetryVariables(environment),
    protocol: chooseProtocol(read),
    exporters,
    captureContent,
  };
}

function chooseExporters(read: Reader): TracingConfig['exporters'] {
  const variable = 'OTEL_TRACES_EXPORTER';
  const named = (read.text(variable) ?? '').split(',').map((name) => name.trim());
  if (lenientFlag(read, 'OTEL_SDK_DISABLED') || named.includes('none')) return [];
  const isKnown = (name: string): name is Exporter => name === 'otlp' || name === 'console';
  for (const name of named) {
    if (name === '' || isKnown(name)) continue;
    read.warnings.push(
      `${variable} does not support '${name}', which is ignored. Use one of otlp, console, none.`,
    );
  }
  const { variable: endpoint, value } = endpointOf(read);
  const fallback: Exporter[] = value === undefined ? [] : ['otlp'];
  const chosen = named.some(isKnown) ? named.filter(isKnown) : fallback;
  if (!chosen.includes('otlp') || value === undefined || isHttpUrl(value)) return chosen;
  // The message omits the value, which may contain a password.
  read.warnings.push(
    `${endpoint} must be a URL such as http://127.0.0.1:4318. Until it is, no traces are sent.`,
  );
  return chosen.filter((name) => name !== 'otlp');
}

/** The variable of the signal takes precedence over the one for all signals. */
function endpointOf(read: Reader) {
  return firstSet(read, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT');
}

function chooseProtocol(read: Reader): OtlpProtocol {
  const { variable, value = 'http/protobuf' } = firstSet(
    read,
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
  );
  const protocol = protocols.find((one) => one === value);
  if (protocol !== undefined) return protocol;
  const advice = value === 'grpc' ? ` ${portAdvice(endpointOf(read))}` : '';
  read.warnings.push(
    `${variable} does not support '${value}': http/protobuf is used instead.${advice}`,
  );
  return 'http/protobuf';
}

/** Only gives advice: only the operator knows at which port the collector accepts HTTP. */
function portAdvice({ variable, value }: { variable: string; value: string | undefined }): string {
  const ports = 'Collectors accept gRPC and HTTP at different ports, usually 4317 and 4318';
  return value !== undefined && isHttpUrl(value) && new URL(value).port === '4317'
    ? `${ports}: the port in ${variable} is 4317, so set it to the HTTP port.`
    : `${ports}: make sure that ${variable} names the HTTP port.`;
}

function firstSet(read: Reader, first: string, second: string) {
  // Reads both, so that both are known as settings.
  const [preferred, other] = [read.text(first), read.text(second)];
  return preferred === undefined
    ? { variable: second, value: other }
    : { variable: first, value: preferred };
}

function lenientFlag(read: Reader, name: string): boolean {
  const value = read.text(name)?.toLowerCase() ?? 'false';
  if (value !== 'true' && value !== 'false') {
    read.warnings.push(`${name} must be true or false, not '${value}'. It counts as false.`);
  }
  return value === 'true';
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function openTelemetryVariables(environment: Environment): Record<string, string> {
  const isVariable = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[0].startsWith('OTEL_') && entry[1] !== undefined;
  return Object.fromEntries(Object.entries(environment).filter(isVariable));
}
