/**
 * Keeps memory low. V8 lets old garbage grow to several times what is in use, and its young generation never shrinks: loading modules
 * would grow it to its full size, which an idle service does not need. Set here, since every way to start the service needs it.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--heap-growing-percent=50');
setFlagsFromString('--semi-space-growth-factor=1');

/** Call this when the program has started: a larger young generation saves time under load. */
export function allowHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
