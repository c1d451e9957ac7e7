/** Connects as the superuser, whose password the service's role does not share. */
import type pg from 'pg';
import { hasCode } from '../../lib/errors/error-code.js';
import { PostgresClient } from '../postgres/client.js';
import { changePassword } from './create.sql.js';
import { type Cluster, SUPERUSER } from './cluster.js';

const WRONG_PASSWORD = '28P01';

/**
 * Older clusters have one password for both roles. In that case, connects with the shared password and sets the superuser's
 * password, which is already in its file, so that a process that is killed in between loses nothing.
 */
export async function openAsSuperuser(
  urlWith: (password: string) => string,
  { superuser, service }: Cluster['passwords'],
): Promise<pg.Client> {
  const own = await connect(urlWith(superuser));
  if (own !== undefined) return own;
  const shared = await connect(urlWith(service));
  if (shared === undefined) {
    throw new Error(
      "The embedded database does not accept its superuser's password. Restore DATA_DIR from one backup, with all files in postgres.",
    );
  }
  await changePassword(shared, SUPERUSER, superuser);
  return shared;
}

/** Undefined if the password is wrong. */
async function connect(url: string): Promise<pg.Client | undefined> {
  const client = new PostgresClient({
    connectionString: url,
    application_name: `agent-hosting-service owner ${process.pid}`,
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (hasCode(error, WRONG_PASSWORD)) return undefined;
    throw error;
  }
}
