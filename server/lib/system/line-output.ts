/**
 * Writes lines to a standard stream and never waits for it. What the system does not take, since the disk is full or the reader of a
 * pipe stalls, is kept up to a limit and tried again. Lines beyond the limit are dropped and counted.
 */
import { pino } from 'pino';

export interface LineOutput {
  /** Takes whole lines, each with its line break. */
  write: (text: string) => void;
  /** How many lines this process has dropped. */
  droppedLines: () => number;
  /** The listener is called when output is possible again, with the number of lines dropped meanwhile. There is one. */
  onRecovery: (listener: (dropped: number) => void) => void;
}

/** Lines are written together, since a write per line costs more than everything else about the line. */
const batchLength = 16_000;
const flushAfterMs = 100;
/** Some thousand lines: enough for a reader that is slow for a moment. */
const maxKeptBytes = 1024 ** 2;
/** How long the end of the process waits for a reader to take the rest. */
const lastFlushMs = 1_000;

/** A pipe or socket must be non-blocking, or writes wait for its reader. */
export function createLineOutput(fd: number): LineOutput {
  let giveUpAt = -Infinity;
  const output = pino.destination({
    fd,
    // In this thread: one that is stuck in a write could not be ended, and would keep the process from ending.
    sync: true,
    maxLength: maxKeptBytes,
    // Otherwise it would sleep and try again until there is a reader.
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
    // Tries what was kept, which makes room for the batch.
    if (isBlocked) output.write('');
    output.write(batch);
    batch = '';
  };
  // A timer that always runs would wake the process ten times a second for nothing.
  const flushSoon = () => {
    timer ??= setTimeout(flush, flushAfterMs).unref();
  };

  // pino's own listener gives up for good when a reader has gone, but a named pipe may get another one.
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
