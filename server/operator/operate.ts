/** Runs the operator's command line on the installation that the environment describes. */
import { openInfrastructure } from '../assembly/infrastructure.js';
import { loadConfig, loadEnvironmentFile } from '../config/config.js';
import { terminal } from '../lib/terminal.js';
import { accountContext } from './context.js';
import { createOutput } from './output.js';
import { createProgram } from './program.js';
import { runCommandLine } from './run.js';

/** Returns the exit code. */
export function runOperator(args: string[]): Promise<number> {
  const program = createProgram(async ({ account, json }, command) => {
    const config = loadConfig(process.env, loadEnvironmentFile());
    const infrastructure = await openInfrastructure(config, { embedded: 'join' });
    try {
      await command({
        ...accountContext(infrastructure.database, account),
        config,
        database: infrastructure.database,
        secrets: infrastructure.secrets,
        output: createOutput(json ?? false, terminal),
      });
    } finally {
      await infrastructure.close();
    }
  });
  return runCommandLine(program, args, terminal);
}
