/** `npm run bench -- --plots`: measures curves, and draws them for docs/performance.md. */
import { mkdir, writeFile } from 'node:fs/promises';
import { inProject } from '../../lib/project.js';
import type { BenchContext, Benchmark } from '../lib/context.js';
import { type BenchEnvironment, withEnvironment } from '../lib/environment.js';
import { drawChart } from './chart.js';
import type { Charts } from './charts.js';
import { plotConnections } from './connections.js';
import { plotLoad } from './load.js';
import { plotRows } from './rows.js';

const folder = inProject('docs/images/performance');

export const plots: Benchmark[] = [
  { name: 'connections', run: drawing(plotConnections) },
  { name: 'load', run: drawing(plotLoad) },
  { name: 'history', run: drawing(plotRows) },
];

function drawing(
  plot: (environment: BenchEnvironment, context: BenchContext) => Promise<Charts>,
): Benchmark['run'] {
  return (context) =>
    withEnvironment(async (environment) => {
      await mkdir(folder, { recursive: true });
      for (const [name, chart] of Object.entries(await plot(environment, context))) {
        await writeFile(`${folder}/${name}.svg`, drawChart(chart));
      }
    });
}
