/**
 * Subscribes a connection to a NOTIFY channel.
 * Why SQL: Prisma does not support LISTEN.
 */
import pg from 'pg';

export async function listenOn(client: pg.Client, channel: string): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
}
