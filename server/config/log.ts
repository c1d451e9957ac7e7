/** Creates the service's logger: one JSON object per line, without secrets, safe to read in a terminal. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { errorCode, messageOf } from '../lib/errors/error-code.js';
import { escapeUnprintable } from '../lib/text/printable.js';
import { logOutput } from '../lib/system/log-output.js';
import { RepeatedLines } from '../lib/system/repeated-lines.js';

export function createLog(level: string, destination: DestinationStream = logOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: createTimestamps(),
      formatters: { level: (label) => ({ level: label }) },
      // JSON does not escape C1 controls and bidirectional marks.
      hooks: {
        streamWrite: (line) => `${escapeUnprintable(line.slice(0, -1))}\n`,
        logMethod: thinOut(new RepeatedLines()),
      },
      serializers: { err: (error: unknown) => describeError(error) },
    },
    destination,
  );
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** pino's number of the level. */
const warn = 40;

/** Warnings and errors that repeat are written once a second. Other lines are written in any case. */
function thinOut(lines: RepeatedLines): LogMethod {
  return function ([first, second], method, level) {
    if (level < warn) {
      method.call(this, first, second);
      return;
    }
    const fields = typeof first === 'object' ? { ...first } : {};
    const message = typeof first === 'string' ? first : second;
    lines.write(kindOf(level, fields, message), (repeated) => {
      method.call(this, { ...fields, repeated }, message);
    });
  };
}

/** Lines are of the same kind if they differ only in the request. */
function kindOf(
  level: number,
  { err, ...fields }: { err?: unknown },
  message: string | undefined,
): string {
  const error = err === undefined ? null : [errorCode(err), messageOf(err)];
  const ofAnyRequest = { ...fields, request_id: undefined, trace_id: undefined };
  return JSON.stringify([level, message, error, ofAnyRequest]);
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
