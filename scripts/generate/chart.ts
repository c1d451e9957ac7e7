/** Copies the alerts and the dashboard into the Helm chart, since Helm packs only files in the folder of a chart. */

import { readFile } from 'node:fs/promises';
import { inProject } from '../lib/project.js';
import { plural } from '../lib/terminal.js';
import type { Step } from './step.js';

const sources = {
  'alerts.yaml': 'deploy/prometheus/alerts.yaml',
  'dashboard.json': 'deploy/grafana/agent-hosting.json',
};

export const chart: Step = {
  name: 'chart',
  destination: 'chart',
  outputs: Object.keys(sources),
  waitsForContract: false,
  async make() {
    const copies = Object.entries(sources).map(
      async ([name, source]) => [name, await readFile(inProject(source), 'utf8')] as const,
    );
    return {
      summary: plural(copies.length, 'file'),
      files: Object.fromEntries(await Promise.all(copies)),
    };
  },
};
