/** Gives the operator's commands access to the installation that the environment describes. */
import { openInfrastructure } from '../process/infrastructure.js';
import { openPostgres } from '../process/storage.js';
import { loadConfig, loadDatabaseConfig, loadEnvironmentFile } from '../config/config.js';
import type { Environment } from '../config/environment.js';
import { findSecretsKeys } from '../config/secrets-file.js';
import { type Terminal, terminal } from '../lib/system/terminal.js';
import { accountContext, type Installation, type OperatorContext } from './context.js';
import { createOutput } from './output.js';
import type { GlobalOptions } from './program.js';

/** Opens the database for a command, and closes it afterwards. */
export async function withContext(
  { account, json }: GlobalOptions,
  command: (context: OperatorContext) => Promise<void>,
): Promise<void> {
  const config = loadConfig(process.env, loadEnvironmentFile());
  const infrastructure = await openInfrastructure(config, { embedded: 'join' });
  try {
    await command({
      ...accountContext(infrastructure.database, account, terminal.printError),
      config,
      database: infrastructure.database,
      secrets: infrastructure.secrets,
      output: createOutput(json ?? false, terminal),
    });
  } finally {
    await infrastructure.close();
  }
}

/** Runs a command that opens the database itself. */
export async function withInstallation(
  { json }: GlobalOptions,
  command: (installation: Installation) => Promise<void>,
): Promise<void> {
  const namesInFile = loadEnvironmentFile();
  await command(installation(json ?? false, terminal, process.env, namesInFile));
}

/** `namesInFile` are the variables that were read from the environment file. */
export function installation(
  asJson: boolean,
  { print, printError }: Terminal,
  environment: Environment,
  namesInFile: string[] = [],
): Installation {
  return {
    config: () => loadConfig(environment, namesInFile),
    databaseConfig: () => loadDatabaseConfig(environment, namesInFile),
    databaseKeys: async (config) => {
      const keys = await findSecretsKeys(config);
      return keys && [keys.current, ...keys.previous];
    },
    openPostgres: (config) => openPostgres(config, 'join'),
    openNewPostgres: (config) => openPostgres(config, 'join-new'),
    output: createOutput(asJson, { print, printError }),
    outputToStderr: createOutput(asJson, { print: printError, printError }),
  };
}
