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
      // JSON itself leaves C1 controls and bidirectional marks as they are.
      hooks: { streamWrite: (line) => `${escapeUnprintable(line.slice(0, -1))}\n` },
      serializers: { err: (error: unknown) => describeError(error) },
    },
    destination,
  );
}

/** The lines of a millisecond share the text of their time. */
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

/** An allow-list of properties: some errors carry the failed request with its headers, or a statement's parameters. */
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
