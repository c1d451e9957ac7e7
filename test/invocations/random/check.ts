/** What must hold after any conversation, whatever broke in it. */
import { expect } from '@jest/globals';
import { eventually } from '../../helpers/eventually.js';
import { type Addressee, askUntilSettled, type Ending, isError } from './client.js';
import type { Played, PlayedTurn, Stage } from './play.js';
import type { PlannedTurn } from './plans.js';
import type { Turns } from './turns.js';

/** An error has the log of the agents. */
export async function checkPlayed(stage: Stage, played: Played): Promise<void> {
  try {
    await checkAll(stage, played);
  } catch (error) {
    throw new Error(`${String(error)}\n\n${await logOf(stage, played)}`, { cause: error });
  }
}

async function logOf({ service }: Stage, { agentIds }: Played): Promise<string> {
  const entries = await service.database.prisma.logEntry.findMany({
    where: { agentId: { in: agentIds } },
    orderBy: [{ loggedAt: 'asc' }, { id: 'asc' }],
  });
  return entries
    .map(({ loggedAt, agentId, requestId, message, metadata }) =>
      [
        loggedAt.toISOString().slice(14, -1),
        agentId.slice(-4),
        requestId?.slice(-4),
        message,
        JSON.stringify(metadata),
      ].join(' '),
    )
    .join('\n');
}

async function checkAll(stage: Stage, played: Played): Promise<void> {
  checkSeen(stage, played);
  for (const turn of played.played) await checkEndings(turn);
  await untilIdle(stage);
  await checkNextTurns(played);
  await checkLog(stage, played);
  // Also of what was asked and refunded since.
  checkSeen(stage, played);
}

/** What the provider and the shop saw. */
function checkSeen({ provider }: Stage, { turns }: Played): void {
  const rejected = provider.invalid.splice(0).map(({ rejection }) => rejection.message);
  expect({ rejected, violations: turns.violations }).toEqual({ rejected: [], violations: [] });
}

/** Once a run of the key has made a refund, there is one result for all of its requests. */
async function checkEndings({ turn, to, endings }: PlayedTurn): Promise<void> {
  for (const { result } of endings) {
    expect(result).not.toMatchObject({ code: 'server_error' });
  }
  for (const ending of endings) if (isOfActingRun(ending)) expectFinal(ending.result);
  if (turn.effects === 0 || !turn.plan.isKeyed) return;
  const { result } = await askUntilSettled(turn, 'plain', to);
  expectFinal(result);
  expect((await askUntilSettled(turn, 'stream', to)).result).toEqual(result);
  for (const ending of endings) {
    if (isOfActingRun(ending)) expect(ending.result).toEqual(result);
  }
}

/** Requests with the same key at the same time may belong to an earlier run, which failed before any refund. */
const isOfActingRun = ({ acted, hasCompany }: Ending) =>
  acted.before || (acted.after && !hasCompany);

function expectFinal(result: Ending['result']): void {
  if (isError(result)) expect(result).toMatchObject({ retryable: false });
}

/** Asynchronous runs and those that clients left go on. */
async function untilIdle({ service: { database } }: Stage): Promise<void> {
  const { invocation, idempotencyRecord } = database.prisma;
  await eventually(async () => {
    const unfinished = await invocation.count({ where: { finishedAt: null } });
    const now = new Date();
    const running = await idempotencyRecord.count({
      where: { state: 'running', leaseUntil: { gt: now } },
    });
    expect({ unfinished, running }).toEqual({ unfinished: 0, running: 0 });
  }, 90_000);
}

const greeting: PlannedTurn = {
  message: 'short',
  way: 'plain',
  isKeyed: false,
  leavesAt: undefined,
  repeats: [],
  steps: [],
};

/** Without faults, each session answers. */
async function checkNextTurns({ turns, played }: Played): Promise<void> {
  const sessions = new Map(played.map(({ to }) => [`${to.agentId} ${to.sessionId}`, to] as const));
  await Promise.all([...sessions.values()].map((to) => greet(turns, to)));
}

/** On a busy machine, a short timeout can pass, and an agent has one if its plan has a provider that stalls. */
async function greet(turns: Turns, to: Addressee): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    const { result } = await askUntilSettled(turns.open(greeting), 'plain', to);
    const isTimeout = isError(result) && result.code === 'timeout' && attempts < 10;
    if (isTimeout) continue;
    expect(result).toMatchObject({ response: 'Hello.' });
    return;
  }
}

interface ToolEntry {
  requestId: string;
  callId: string;
  order: string;
}

/** Each refund that the shop saw has a beginning in the log, and an end unless the instance was killed. */
async function checkLog({ service }: Stage, { turns, agentIds, hasKill }: Played): Promise<void> {
  const made = [...turns.refunds].filter(([, { timesSeen }]) => timesSeen > 0);
  if (made.length === 0) return;
  await eventually(async () => {
    const entries = await service.database.prisma.logEntry.findMany({
      where: { agentId: { in: agentIds }, message: { startsWith: 'Tool refund ' } },
    });
    const begun: ToolEntry[] = [];
    const ended = new Set<string>();
    for (const { message, requestId, metadata } of entries) {
      const { call_id: callId = '', arguments: args } = metadata as Record<string, string>;
      if (message !== 'Tool refund called') ended.add(`${requestId} ${callId}`);
      else begun.push({ requestId: requestId ?? '', callId, order: orderIn(args) });
    }
    const runsByTurn = new Map<string, Set<string>>();
    for (const [order, { turn }] of made) {
      const beginnings = begun.filter((entry) => entry.order === order);
      expect({ order, beginnings }).toEqual({ order, beginnings: [expect.anything()] });
      for (const { requestId, callId } of beginnings) {
        if (!hasKill)
          expect({ order, hasEnd: ended.has(`${requestId} ${callId}`) }).toEqual({
            order,
            hasEnd: true,
          });
        const runs = runsByTurn.get(turn.id) ?? new Set();
        runsByTurn.set(turn.id, runs.add(requestId));
      }
    }
    for (const [turn, runs] of runsByTurn)
      expect({ turn, runs: runs.size }).toEqual({ turn, runs: 1 });
  });
}

function orderIn(args: string | undefined): string {
  const { order_id: order } = JSON.parse(args ?? '{}') as { order_id?: string };
  return order ?? '';
}
