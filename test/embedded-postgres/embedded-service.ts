/** Services with an embedded database, as separate processes. */
import { type ProgramOptions, startBuilt } from '../helpers/programs/process.js';

export interface EmbeddedService {
  url: string;
  adopted: boolean;
  /** Stops PostgreSQL as well. */
  stop: () => Promise<unknown>;
  /** Sends SIGKILL, so that PostgreSQL is not stopped. */
  kill: () => Promise<unknown>;
}

/** Rejects with the service's output if it did not start. */
export async function startEmbeddedService(
  dataDir: string,
  options: Pick<ProgramOptions, 'user'> = {},
): Promise<EmbeddedService> {
  const program = await startBuilt('test/embedded-postgres/embedded-program', [dataDir], options);
  const [line] = await program.printed(/^.*\n/);
  return {
    ...(JSON.parse(line) as Pick<EmbeddedService, 'url' | 'adopted'>),
    stop: () => program.end('SIGTERM'),
    kill: () => program.end('SIGKILL'),
  };
}
