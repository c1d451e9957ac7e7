/** What a plot results in. */
import type { Chart } from './chart.js';

/** By the name of their file. */
export type Charts = Record<string, Chart>;
