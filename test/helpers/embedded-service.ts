/** Services with an embedded database, as processes of their own. */
import { type ProgramOptions, startBuilt } from './process.js';

export interface EmbeddedService {
  url: string;
  adopted: boolean;
  /** PostgreSQL is stopped as well. */
  stop: () => Promise<unknown>;
  /** kill -9: PostgreSQL learns nothing of it. */
  kill: () => Promise<unknown>;
}

/** Rejects with what the service said if it did not start. */
export async function startEmbeddedService(
  dataDir: string,
  options: Pick<ProgramOptions, 'user'> = {},
): Promise<EmbeddedService> {
  const program = await startBuilt('test/helpers/embedded-program', [dataDir], options);
  const [line] = await program.printed(/^.*\n/);
  return {
    ...(JSON.parse(line) as Pick<EmbeddedService, 'url' | 'adopted'>),
    stop: () => program.end('SIGTERM'),
    kill: () => program.end('SIGKILL'),
  };
}
