/**
 * Keeps V8's young generation small while a program starts. Loading modules would grow it to its full size, which an idle service
 * does not need, and it never shrinks. V8 ignores a flag that it does not know.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--semi-space-growth-factor=1');

/** Call this when the program has started: a larger young generation saves time under load. */
export function allowHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
