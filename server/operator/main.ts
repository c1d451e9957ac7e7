/** `npm run operator -- …`: runs the operator's command line. */
import { openInfrastructure } from '../assembly/infrastructure.js';
import { loadConfig, loadEnvironmentFile } from '../config/config.js';
import { terminal } from '../lib/terminal.js';
import { createRegistry } from '../runtime/registry.js';
import { accountContext } from './context.js';
import { createOutput } from './output.js';
import { createProgram } from './program.js';
import { runCommandLine } from './run.js';

const program = createProgram(async ({ account, json }, command) => {
  loadEnvironmentFile();
  const config = loadConfig(process.env);
  const infrastructure = await openInfrastructure(config, { embedded: 'join' });
  try {
    await command({
      ...accountContext(infrastructure.database, account),
      config,
      database: infrastructure.database,
      secrets: infrastructure.secrets,
      models: createRegistry(config.models),
      output: createOutput(json ?? false, terminal),
    });
  } finally {
    await infrastructure.close();
  }
});

process.exitCode = await runCommandLine(program, process.argv.slice(2), terminal);
