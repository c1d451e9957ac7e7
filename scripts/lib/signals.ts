/** Makes Ctrl-C an orderly exit, so that what was registered for the exit cleans up. */

import { constants } from 'node:os';

export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}
