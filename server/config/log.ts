/** Creates the service's logger: one JSON object per line, without secrets, safe to read in a terminal. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { errorCode, messageOf } from '../lib/errors/error-code.js';
import { escapeUnprintable } from '../lib/text/printable.js';
import { logOutput } from '../lib/system/log-output.js';

export function createLog(level: string, destination: DestinationStream = logOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: createTimestamps(),
      formatters: { level: (label) => ({ level: label }) },
      // JSON does not escape C1 controls and bidirectional marks.
      hooks: { streamWrite: (line) => `${escapeUnprintable(line.slice(0, -1))}\n` },
      serializers: { err: (error: unknown) => describeError(error) },
    },
    destination,
  );
}

/** Formats each millisecond once, for all its lines. */
function createTimestamps(): () => string {
  let [last, text] = [NaN, ''];
  return () => {
    const now = Date.now();
    if (now !== last) [last, text] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return text;
  };
}

interface ErrorDescription {
  type: string;
  code: string | undefined;
  message: string;
  stack: string | undefined;
  cause: ErrorDescription | undefined;
}

const maxCauses = 5;

/** Copies only known properties: some errors contain the failed request with its headers, or a statement's parameters. */
function describeError(error: unknown, causes = maxCauses): ErrorDescription {
  const { name, stack, cause } = error instanceof Error ? error : new Error(String(error));
  return {
    type: name,
    code: errorCode(error),
    message: messageOf(error),
    stack,
    cause: cause === undefined || causes === 0 ? undefined : describeError(cause, causes - 1),
  };
}
