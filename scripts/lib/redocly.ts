/** Runs Redocly's command line with the project's configuration, and removes its notices from the output. */

import { type Outcome, runNode } from './child.js';
import { inProject, programs } from './project.js';

const env = { REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };

export async function redocly(args: string[]): Promise<Outcome> {
  const [name = '', ...rest] = args;
  const config = `--config=${inProject('redocly.yaml')}`;
  const outcome = await runNode([programs.redocly, name, config, ...rest], { env });
  return { ...outcome, stderr: withoutNotices(outcome.stderr) };
}

/** Redocly prints notices that are not about the contract, such as a new release, in a box. */
function withoutNotices(stderr: string): string {
  return stderr.replace(/^\s*╔[\s\S]*?╝\n*/gm, '').trim();
}
