/**
 * Listens on a channel of NOTIFY.
 * Why SQL: Prisma does not listen.
 */
import pg from 'pg';

export async function listenOn(client: pg.Client, channel: string): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
}
