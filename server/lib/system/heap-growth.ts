/**
 * Keeps the heap for young objects small while a program starts. What it loads would make it grow to its full size, of which a
 * service at rest has no need, and it never shrinks. V8 knows no option for that; one that it does not know changes nothing.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--semi-space-growth-factor=1');

/** To be called when the program has started: under load a larger one saves time. */
export function allowHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
