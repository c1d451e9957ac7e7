/** Runs Redocly's command line with the project's configuration, and keeps only what it says about the contract. */

import { type Outcome, runNode } from './child.js';
import { inProject, programs } from './project.js';

const env = { REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };

export async function redocly(args: string[]): Promise<Outcome> {
  const [name = '', ...rest] = args;
  const config = `--config=${inProject('redocly.yaml')}`;
  const outcome = await runNode([programs.redocly, name, config, ...rest], { env });
  return { ...outcome, stderr: withoutNotices(outcome.stderr) };
}

/** Redocly frames its notices (a new release, the end of a Node version) in a box; they are not about the contract. */
function withoutNotices(stderr: string): string {
  return stderr.replace(/^\s*╔[\s\S]*?╝\n*/gm, '').trim();
}
