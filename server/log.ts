/** The service's own log: one JSON object a line, and never a secret. */
import { type DestinationStream, type Logger, pino } from 'pino';

export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Nothing logs these on purpose; an error object that carries its request might.
      redact: ['*.authorization', '*.headers', '*.config', 'err.cause.config'],
    },
    destination ?? bufferedOutput(),
  );
}

/** Lines are written together: one write for each would cost more than all the rest of a quick request's logging. */
function bufferedOutput(): DestinationStream {
  const output = pino.destination({ sync: true, minLength: 4096, periodicFlush: 100 });
  process.once('exit', () => {
    output.flushSync();
  });
  return output;
}
