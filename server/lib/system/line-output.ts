/**
 * Writes lines to a standard stream without ever blocking. Lines that cannot be written, because the disk is full or the reader of a
 * pipe stalls, are kept up to a limit and tried again. Lines beyond the limit are dropped and counted.
 */
import { pino } from 'pino';

export interface LineOutput {
  /** Accepts whole lines, each with its line break. */
  write: (text: string) => void;
  /** How many lines this process has dropped. */
  droppedLines: () => number;
  /** Sets the only listener. It is called when output is possible again, with the number of lines dropped meanwhile. */
  onRecovery: (listener: (dropped: number) => void) => void;
}

/** Lines are written in batches, because a write per line would cost more than producing the line. */
const batchLength = 16_000;
const flushAfterMs = 100;
/** A few thousand lines: enough for a reader that is briefly slow. */
const maxKeptBytes = 1024 ** 2;
/** How long the exit of the process waits for the reader. */
const lastFlushMs = 1_000;

/** A pipe or socket must be non-blocking; otherwise writes wait for its reader. */
export function createLineOutput(fd: number): LineOutput {
  let giveUpAt = -Infinity;
  const output = pino.destination({
    fd,
    // Writes in this thread: a thread that is stuck in a write could not be stopped and would keep the process alive.
    sync: true,
    maxLength: maxKeptBytes,
    // Otherwise pino would block and retry until there is a reader.
    retryEAGAIN: () => performance.now() < giveUpAt,
  });
  let batch = '';
  let isBlocked = false;
  let dropped = 0;
  let reported = 0;
  let onRecovery: ((dropped: number) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    // Retries the kept lines, which frees space for the batch.
    if (isBlocked) output.write('');
    output.write(batch);
    batch = '';
  };
  // A permanent interval would wake the process ten times a second for nothing.
  const flushSoon = () => {
    timer ??= setTimeout(flush, flushAfterMs).unref();
  };

  // pino's own listener gives up for good when the reader disconnects, but a named pipe may get another reader.
  output.removeAllListeners('error');
  output.on('error', () => {
    isBlocked = true;
    flushSoon();
  });
  output.on('drop', (lines: string) => {
    dropped += lines.split('\n').length - 1;
  });
  output.on('drain', () => {
    isBlocked = false;
    const unreported = dropped - reported;
    reported = dropped;
    if (unreported > 0) onRecovery?.(unreported);
  });
  process.once('exit', () => {
    giveUpAt = performance.now() + lastFlushMs;
    flush();
    output.end();
  });
  return {
    write: (text) => {
      batch += text;
      if (batch.length >= batchLength) flush();
      else flushSoon();
    },
    droppedLines: () => dropped,
    onRecovery: (listener) => {
      onRecovery = listener;
    },
  };
}
