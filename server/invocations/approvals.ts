/** Approvals: an invocation goes on with a run whose calls wait for somebody to decide, or the run is closed. Exactly one of them happens. */
import type { InvocationResume, PendingApproval } from '../../generated/api.js';
import type { Caller } from '../accounts/caller.js';
import { getAgent } from '../agents/agents.js';
import { findActiveAgent } from '../agents/configurations.js';
import { production, storedEnvironment } from '../contract/environments.js';
import { forbidden, invalid, ServiceError } from '../contract/errors.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Decision } from '../models/converse.js';
import { settleKeys } from '../idempotency/records.sql.js';
import { sealSettlement } from '../idempotency/sealed-response.js';
import { newId } from '../lib/data/typeid.js';
import { sumUsage } from '../metrics/usage.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { isStoreUnavailable } from '../postgres/errors.js';
import { notify } from '../postgres/notify.sql.js';
import { deliveryChannel } from '../webhooks/deliveries/queue.sql.js';
import { approvalExpired } from './failure.js';
import type { Failure, InvocationInput } from './invocation.js';
import { Journal } from './journal.js';
import { type PausedRun, takePaused } from './paused.sql.js';
import { continueReferences, type RequestToken } from './references.js';
import { outcomeOf, recordOf, settlementOf } from './record.js';
import { recordInvocations } from './record.sql.js';
import { logCountsOf, logRowsOf } from './recorder.js';
import {
  committedRun,
  type CommittedRun,
  inParts,
  joinedContext,
  readSteps,
  type RunId,
  type RunStep,
  StepLog,
} from './steps.js';
import { appendSteps, removeSteps, sealSteps } from './steps.sql.js';

interface Going {
  invocation: InvocationInput;
  /** As the request names it. */
  environment: string | undefined;
  caller: Caller;
  resume: InvocationResume;
  token: RequestToken;
}

/**
 * Takes the run over and stores the decisions, in one transaction. Throws if the caller may not decide, if a call has no decision or an
 * unknown one has, or if the run does not wait any more; then nothing changes.
 */
export async function decide(
  transaction: Transaction,
  secrets: Secrets,
  { invocation, environment, caller, resume, token }: Going,
): Promise<CommittedRun> {
  const { accountId, agentId } = invocation;
  const paused = { accountId, agentId, requestId: resume.request_id };
  if (!(await takePaused(transaction, paused))) throw alreadyDecided();
  const steps = await readSteps(transaction, secrets, paused);
  const run = committedRun(steps);
  if (!run) throw alreadyDecided();
  assertMayDecide(run, { invocation, caller });
  assertSameEnvironment(run, environment);
  const decisions = decisionsOf(run, resume);
  const { message, context } = invocation;
  const decided: RunStep = { type: 'decided', message, context, decisions };
  const references = continueReferences(goingOn(invocation, run), run.references, token);
  const all = [
    ...steps.map((step) => (step.type === 'began' ? { ...step, references } : step)),
    decided,
  ];
  const log = new StepLog(0);
  for (const step of all) log.add(step);
  // The steps now belong to this invocation, which may be continued like any other.
  const owner = { ...invocation, userId: run.userId };
  for (const part of inParts(log.unwritten())) {
    await appendSteps(transaction, accountId, sealSteps(secrets, owner, part));
  }
  await removeSteps(transaction, accountId, [resume.request_id]);
  return committedRun(all) ?? run;
}

function alreadyDecided(): ServiceError {
  return new ServiceError('conflict', 'The calls of this invocation were already decided.');
}

/** Whoever may invoke the agent for the same user and session, with the permission that an approver needs. */
function assertMayDecide(
  { userId, sessionId, environment, approvals }: CommittedRun,
  { invocation, caller }: Pick<Going, 'invocation' | 'caller'>,
): void {
  const isOfUser = isSame(invocation.userId, userId) && (caller.userId ?? userId) === userId;
  if (!isOfUser || !isSame(invocation.sessionId, sessionId)) {
    throw forbidden('The calls of this invocation are decided for its own user and session.');
  }
  if (environment !== null && caller.userId !== null) throw onlyProduction(environment);
  if (
    approvals.some(({ approver }) => approver === 'manage') &&
    !caller.permissions.has('manage')
  ) {
    const credential = caller.keyId === null ? 'token' : 'key';
    throw forbidden(
      `This ${credential} lacks the permission 'manage', which the approver of these calls needs.`,
    );
  }
}

/** With a token, whose user gets only what the agent's owner has released. */
export function onlyProduction(environment: string): ServiceError {
  return forbidden(
    `A token may only invoke the agent in '${production}', not in '${environment}'.`,
  );
}

function assertSameEnvironment(run: CommittedRun, named: string | undefined): void {
  if (named === undefined || storedEnvironment(named) === run.environment) return;
  const own = run.environment ?? production;
  throw invalid({ field: 'environment', error: `must be left out or be that of the run, ${own}` });
}

/** What a request leaves out is that of the run. */
function isSame(named: string | null, own: string | null): boolean {
  return named === null || named === own;
}

function decisionsOf(
  { approvals }: CommittedRun,
  { decisions }: InvocationResume,
): Record<string, Decision> {
  const waiting = new Set(approvals.map(({ call_id }) => call_id));
  const decided = new Map<string, Decision>();
  for (const [index, { call_id, decision, note }] of decisions.entries()) {
    const field = `resume.decisions[${index}].call_id`;
    if (!waiting.has(call_id))
      throw invalid({ field, error: `${call_id} does not wait for a decision` });
    if (decided.has(call_id)) throw invalid({ field, error: `${call_id} is decided twice` });
    decided.set(call_id, { decision, ...(note === undefined ? {} : { note }) });
  }
  const missing = [...waiting].find((id) => !decided.has(id));
  if (missing !== undefined) {
    throw invalid({ field: 'resume.decisions', error: `lacks a decision on ${missing}` });
  }
  return Object.fromEntries(decided);
}

/** The invocation as it goes on with a run: for the run's user, session and environment, with the configuration that the run began with. */
export function goingOn(invocation: InvocationInput, run: CommittedRun): InvocationInput {
  const { userId, sessionId, environment, agent } = run;
  return {
    ...invocation,
    userId,
    sessionId,
    environment,
    context: joinedContext(run.context, invocation.context),
    agent: { ...invocation.agent, ...agent },
  };
}

/** What is known of a run that waits, for a list. */
export interface WaitingRun extends Pick<PausedRun, 'requestId' | 'agentId'> {
  agentName: string;
  userId: string | null;
  createdAt: Date;
  expiresAt: Date;
  approvals: readonly PendingApproval[];
}

/** Oldest first. */
export async function listPaused(
  { database, secrets }: ClosingParts,
  caller: Caller,
  { agent, limit }: { agent: string | undefined; limit: number },
): Promise<WaitingRun[]> {
  const { accountId } = caller;
  const agentId = agent === undefined ? undefined : (await getAgent(database, caller, agent)).id;
  const found = await database.prisma.pausedRun.findMany({
    where: { accountId, ...(agentId === undefined ? {} : { agentId }) },
    orderBy: { requestId: 'asc' },
    take: limit,
  });
  const agents = await database.prisma.agent.findMany({
    where: { accountId, id: { in: found.map((run) => run.agentId) } },
    select: { id: true, name: true },
  });
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return Promise.all(
    found.map(async ({ createdAt, expiresAt, ...run }) => {
      const approvals = (await readPaused(database, secrets, run))?.approvals ?? [];
      const agentName = names.get(run.agentId) ?? run.agentId;
      return { ...run, agentName, createdAt, expiresAt, approvals };
    }),
  );
}

/** Undefined if its steps are gone or cannot be read: it can be closed nevertheless, and does not hold up others. */
async function readPaused(
  connection: Connection,
  secrets: Secrets,
  run: RunId,
): Promise<CommittedRun | undefined> {
  try {
    return committedRun(await readSteps(connection, secrets, run));
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    return undefined;
  }
}

export interface ClosingParts {
  database: Database;
  secrets: Secrets;
}

/** Few, because each is a handful of statements. */
const closedAtOnce = 20;

/** Closes runs whose calls were not decided in time. Returns the number closed; there may be more. */
export async function closeExpired(
  transaction: Transaction,
  secrets: Secrets,
  now: Date,
): Promise<number> {
  const expired = await transaction.prisma.pausedRun.findMany({
    where: { expiresAt: { lt: now } },
    select: { accountId: true, agentId: true, requestId: true },
    orderBy: { expiresAt: 'asc' },
    take: closedAtOnce,
  });
  for (const run of expired) {
    await closePaused(transaction, secrets, { ...run, failure: approvalExpired });
  }
  return expired.length;
}

interface Closing extends PausedRun {
  failure: Failure;
}

/**
 * Ends a run that waits with a failure: its calls are not made. Returns false if it does not wait any more. The invocation that began to
 * wait was counted and recorded then, so only what has changed is written.
 */
export async function closePaused(
  transaction: Transaction,
  secrets: Secrets,
  { failure, ...paused }: Closing,
): Promise<boolean> {
  if (!(await takePaused(transaction, paused, { orExpired: true }))) return false;
  const { accountId, agentId, requestId: id } = paused;
  const { prisma } = transaction;
  const run = await readPaused(transaction, secrets, paused);
  const environment = run?.environment ?? null;
  const agent = await findActiveAgent(transaction, { accountId, reference: agentId, environment });
  const where = { accountId, agentId, id };
  const row = await prisma.invocation.findFirst({ where, select: rowFields });
  await removeSteps(transaction, accountId, [id]);
  if (!run || !agent || !row) return true;
  const { message, context, userId, sessionId } = run;
  const { idempotencyId, createdBy, createdAt, schedule } = row;
  const invocation = {
    ...{ id, accountId, agentId, createdBy, createdAt, schedule },
    ...{ message, context, userId, sessionId, environment },
    agent: { ...agent, ...run.agent },
  };
  const outcome = outcomeOf(invocation, { failure }, { tokensUsed: null, hasActed: true });
  const { logs, event, finishedAt } = recordOf({
    invocation,
    outcome,
    logs: new Journal(invocation).close(outcome),
    leases: { sessionOwner: null, worker: null, idempotency: null },
    hasSteps: false,
    traceContext: null,
  });
  await prisma.invocation.updateMany({
    where,
    data: { status: 'failed', errorCode: failure.code, finishedAt },
  });
  // A run may wait for longer than its key is kept, which then may be that of another request.
  const key =
    idempotencyId &&
    (await prisma.idempotencyRecord.findFirst({
      where: { accountId, id: idempotencyId, OR: [{ owner: id }, { requestId: id }] },
      select: { id: true },
    }));
  const settlement = settlementOf(key && { id: key.id, owner: null }, id, outcome);
  if (settlement) await settleKeys(transaction, accountId, [sealSettlement(secrets, settlement)]);
  const request = { id, accountId, agentId };
  // Counted under an id of its own, because the record of the invocation counts under the id of the request, and in the minute of the
  // invocation, from which retention takes it away again.
  const failed = { ...request, id: newId('log'), at: createdAt, failures: 1 };
  const { recorded } = await recordInvocations(transaction, accountId, {
    invocations: [],
    logs: logRowsOf({ ...request, environment, logs }),
    memory: [],
    usage: [...sumUsage(logCountsOf({ ...request, logs })), ...sumUsage([failed])],
    events: [{ agentId, requestId: id, createdAt: finishedAt, ...event }],
  });
  if (recorded.some(({ hasDeliveries }) => hasDeliveries)) {
    await notify(transaction, deliveryChannel);
  }
  return true;
}

const rowFields = {
  idempotencyId: true,
  createdBy: true,
  createdAt: true,
  schedule: true,
} as const;
