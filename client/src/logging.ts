/** Logs the attempts of requests: method, URL, status and duration, never keys, headers or bodies. */

/** Such as `console`, or a logger of pino or winston. */
export type Logger = Record<'debug' | 'info' | 'warn', (message: string) => void>;

/** `warn`: attempts that fail; `info`: those that succeed as well; `debug`: also what is about to be sent. */
export type ClientLogLevel = keyof Logger | 'off';

export type Log = (level: keyof Logger, message: string) => void;

const levels: ClientLogLevel[] = ['debug', 'info', 'warn'];

/** Undefined if nothing is logged, so that no message is formatted. */
export function createLog(logger: Logger, minimum: ClientLogLevel): Log | undefined {
  const first = levels.indexOf(minimum);
  if (first < 0) return undefined;
  return (level, message) => {
    if (levels.indexOf(level) >= first) logger[level](`agent-hosting: ${message}`);
  };
}
