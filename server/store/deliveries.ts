/**
 * Pending deliveries as a queue. A claimed delivery is leased: nobody else gets it before the lease ends, and whoever
 * holds it renews the lease while it works. All times are the database's, so that workers need not agree on one.
 */
import type { EventType } from '../../generated/api.js';
import { claimDue, claimPage } from './delivery-claims.js';
import { deliveryChannel } from './record-invocation-sql.js';
import type { Sql, Statement } from './sql.js';

/** Names a delivery, and whose it is for now. */
export interface Lease {
  eventId: string;
  webhookId: string;
  owner: string;
}

export interface ClaimedDelivery extends Lease {
  agentId: string;
  requestId: string;
  type: EventType;
  /** Null if it is so large that it is worth fetching only when it is needed. */
  body: Buffer | null;
  url: string;
  sealedSecret: Buffer;
  isEnabled: boolean;
  /** Whether the webhook's last attempt failed. */
  isFailing: boolean;
  /** Attempts that were made before. */
  attempts: number;
  /** In Unix seconds. */
  claimedAt: number;
}

export interface ClaimOptions {
  owner: string;
  leaseMs: number;
  limit: number;
  /** How many deliveries each of these webhooks can take at present. */
  rooms: ReadonlyMap<string, number>;
  /** How many any other webhook can take; one that fails is always given a single one. */
  usualRoom: number;
  /** Whether webhooks whose last attempt failed are to be tried at present. */
  withFailing: boolean;
  /** Where to go on, as the last claim said. */
  from: Continuation | undefined;
}

/** The webhook after which to look for more. */
export type Continuation = string;

export interface Claimed {
  deliveries: ClaimedDelivery[];
  /** Whether due deliveries may be left, which had to wait for one of the limits. */
  leftSome: boolean;
  /** Where the next claim goes on. */
  next: Continuation | undefined;
  /** Whether that can wait for something to happen: there was nothing more to be had. */
  isDone: boolean;
}

type ClaimRow = ClaimSummary & (Omit<ClaimedDelivery, 'owner'> | { eventId: null });

interface ClaimSummary {
  /** How many deliveries, or webhooks, the claim looked at. */
  seen: number;
  lastWebhook: string | null;
}

/** How many due deliveries, or webhooks with pending ones, a claim looks at. */
const range = 500;
const inlineBodyBytes = 65_536;

/**
 * Takes what is due, the longest due first. Where so much is due that those who must wait hide the others, it goes on
 * webhook by webhook, so that the cost never grows with what has piled up.
 */
export async function claimDeliveries(sql: Sql, options: ClaimOptions): Promise<Claimed> {
  const rows = await sql.run<ClaimRow>(options.from === undefined ? claimDue : claimPage, [
    options.owner,
    options.leaseMs,
    options.limit,
    [...options.rooms.keys()],
    [...options.rooms.values()],
    options.usualRoom,
    options.withFailing,
    inlineBodyBytes,
    range,
    ...(options.from === undefined ? [] : [options.from]),
  ]);
  const deliveries = rows.flatMap((row) =>
    row.eventId === null ? [] : [{ ...row, owner: options.owner }],
  );
  const { seen = 0, lastWebhook = null } = rows[0] ?? {};
  const isCutShort = seen === range;
  if (options.from === undefined) {
    const isHidden = isCutShort && deliveries.length < options.limit;
    const leftSome = seen > deliveries.length;
    return { deliveries, leftSome, next: isHidden ? beginning : undefined, isDone: !isHidden };
  }
  if (isCutShort) {
    return { deliveries, leftSome: true, next: lastWebhook ?? undefined, isDone: false };
  }
  // As long as there is something to be had webhook by webhook, there is no need to look at what hides it.
  const next = deliveries.length > 0 ? beginning : undefined;
  return { deliveries, leftSome: true, next, isDone: true };
}

/** Before every webhook. */
const beginning: Continuation = '';

const findBody: Statement = {
  name: 'event_body',
  text: 'SELECT body FROM events WHERE id = $1',
};

export async function readEventBody(sql: Sql, eventId: string): Promise<Buffer | undefined> {
  const [event] = await sql.run<{ body: Buffer }>(findBody, [eventId]);
  return event?.body;
}

const held = `
  unnest($1::text[], $2::text[], $3::text[]) AS held (event_id, webhook_id, owner)
  WHERE d.event_id = held.event_id AND d.webhook_id = held.webhook_id
    AND d.lease_owner = held.owner AND d.status = 'pending'`;

// It does not wait for the disk: what a crash of the database undoes is a lease, which would end anyway.
const renew: Statement = {
  name: 'deliveries_renew',
  text: `
    WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    UPDATE deliveries d SET next_attempt_at = now() + $4 * interval '1 ms'
    FROM quick, ${held}
    RETURNING d.event_id AS "eventId", d.webhook_id AS "webhookId", d.lease_owner AS owner`,
};

/** Those that are still held; the others were taken over, given up or deleted. */
export function renewLeases(sql: Sql, leases: Lease[], leaseMs: number): Promise<Lease[]> {
  return sql.run<Lease & Record<string, unknown>>(renew, [...columnsOf(leases), leaseMs]);
}

const release: Statement = {
  name: 'deliveries_release',
  text: `
    WITH released AS (
      UPDATE deliveries d SET next_attempt_at = now(), lease_owner = NULL FROM ${held} RETURNING 1
    )
    SELECT pg_notify('${deliveryChannel}', '') FROM (SELECT FROM released LIMIT 1) any_of_them`,
};

/** Gives deliveries back that were not tried to the end, so that others need not wait for their leases. */
export async function releaseLeases(sql: Sql, leases: Lease[]): Promise<void> {
  await sql.run(release, columnsOf(leases));
}

function columnsOf(leases: Lease[]): string[][] {
  return [
    leases.map(({ eventId }) => eventId),
    leases.map(({ webhookId }) => webhookId),
    leases.map(({ owner }) => owner),
  ];
}
