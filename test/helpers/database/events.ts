/** Inserts events and their deliveries, as a recorded invocation does. */
import { newId } from '../../../server/lib/data/typeid.js';
import type { Database } from '../../../server/postgres/database.js';
import { deliveryChannel } from '../../../server/webhooks/deliveries/queue.sql.js';

export interface NewEvent {
  accountId: string;
  agentId: string;
  webhookIds: string[];
  type?: 'agent.completed' | 'agent.failed';
  response?: string;
  /** When it becomes due. */
  dueAt?: Date;
}

export interface MadeEvent {
  id: string;
  requestId: string;
  body: string;
}

/** Commits one event with a delivery to each webhook, and announces it. */
export async function insertEvent(database: Database, input: NewEvent): Promise<MadeEvent> {
  const event = composeEvent(input);
  await insertEvents(database, [{ ...input, ...event }]);
  return event;
}

/** Commits many at once, which is faster. */
export async function insertEvents(
  { prisma }: Database,
  events: (NewEvent & MadeEvent)[],
): Promise<void> {
  await prisma.$transaction([
    prisma.event.createMany({
      data: events.map(({ id, accountId, agentId, requestId, type = 'agent.completed', body }) => ({
        id,
        accountId,
        agentId,
        requestId,
        type,
        body: Buffer.from(body),
      })),
    }),
    prisma.delivery.createMany({
      data: events.flatMap(({ id: eventId, accountId, webhookIds, dueAt }) =>
        webhookIds.map((webhookId) => ({
          accountId,
          eventId,
          webhookId,
          ...(dueAt ? { nextAttemptAt: dueAt } : {}),
        })),
      ),
    }),
    prisma.$executeRawUnsafe(`SELECT pg_notify('${deliveryChannel}', '')`),
  ]);
}

export function composeEvent({
  agentId,
  type = 'agent.completed',
  response = 'Hello, wörld',
}: Pick<NewEvent, 'agentId' | 'type' | 'response'>): MadeEvent {
  const id = newId('evt');
  const requestId = newId('req');
  const result =
    type === 'agent.completed'
      ? { response, tokens_used: 12, duration_ms: 34 }
      : { error: { code: 'timeout', message: 'The agent did not answer within 60 seconds.' } };
  const data = { agent_id: agentId, request_id: requestId, ...result };
  const body = JSON.stringify({ id, type, created_at: new Date().toISOString(), data });
  return { id, requestId, body };
}
