/** `npm run operator -- …`: the operator's command line as a process. */
import { CommanderError } from 'commander';
import { configuredProviders, loadConfig, loadEnvironmentFile } from '../config.js';
import { layFoundation } from '../foundation.js';
import { messageOf } from '../lib/error-code.js';
import { createRegistry } from '../runtime/registry.js';
import { accountContext } from './context.js';
import { createOutput } from './output.js';
import { createProgram, explainFailure } from './program.js';

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
      output: createOutput(json ?? false, (text) => process.stdout.write(text)),
    });
  } finally {
    await foundation.close();
  }
});

for (const group of [program, ...program.commands]) {
  group.exitOverride();
  for (const command of group.commands) command.exitOverride();
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`${explainFailure(error) ?? messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
