/** Logs each attempt of a request: method, URL, status and duration, never keys, headers or bodies. */

/** For example `console`, or a pino or winston logger. */
export type Logger = Record<'debug' | 'info' | 'warn', (message: string) => void>;

/** `warn`: failed attempts; `info`: successful ones as well; `debug`: also each attempt before it is sent. */
export type ClientLogLevel = keyof Logger | 'off';

export type Log = (level: keyof Logger, message: string) => void;

const levels: ClientLogLevel[] = ['debug', 'info', 'warn'];

/** Undefined if logging is off, so that no message is formatted. */
export function createLog(logger: Logger, minimum: ClientLogLevel): Log | undefined {
  const first = levels.indexOf(minimum);
  if (first < 0) return undefined;
  return (level, message) => {
    if (levels.indexOf(level) >= first) logger[level](`agent-hosting: ${message}`);
  };
}
