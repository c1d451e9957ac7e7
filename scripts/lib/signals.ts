/** Exits on signals through process.exit, so that `exit` handlers clean up. */

import { constants } from 'node:os';

export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}
