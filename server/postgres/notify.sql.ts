/**
 * Sends notifications on a channel, and subscribes a connection to one.
 * Why SQL: Prisma supports neither NOTIFY nor LISTEN. NOTIFY is a separate statement, because with Citus a statement on an account's
 * tables runs on another server, while the instances listen on the coordinator.
 */
import pg from 'pg';
import type { Queryable, Statement } from './connection.js';

const send: Statement = {
  name: 'notify',
  text: 'SELECT pg_notify($1, payload)::text FROM unnest($2::text[]) AS payload',
};

/** In a transaction, notifications are sent when it commits. */
export async function notify(
  connection: Queryable,
  channel: string,
  payloads: readonly string[] = [''],
): Promise<void> {
  if (payloads.length > 0) await connection.run(send, [channel, payloads]);
}

export async function listenOn(client: pg.Client, channel: string): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
}
