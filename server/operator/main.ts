/** `npm run operator -- …`: the operator's command line as a process. */
import { configuredProviders, loadConfig, loadEnvironmentFile } from '../config/config.js';
import { layFoundation } from '../assembly/infrastructure.js';
import { createRegistry } from '../runtime/registry.js';
import { accountContext } from './context.js';
import { createOutput } from './output.js';
import { createProgram } from './program.js';
import { runCommandLine } from './run.js';

const out = (text: string) => process.stdout.write(text);
const err = (text: string) => process.stderr.write(text);

const program = createProgram(async ({ account, json }, command) => {
  loadEnvironmentFile();
  const config = loadConfig(process.env);
  const foundation = await layFoundation(config, { as: 'guest', log: () => undefined });
  try {
    await command({
      ...accountContext(foundation.database, account),
      config,
      database: foundation.database,
      secrets: foundation.secrets,
      models: createRegistry(configuredProviders(config.models)),
      output: createOutput(json ?? false, out),
    });
  } finally {
    await foundation.close();
  }
});

process.exitCode = await runCommandLine(program, process.argv.slice(2), { out, err });
