/**
 * Loses power on purpose: invokes an agent all the time, while the one process of the service is killed at random moments
 * and started again, and then holds what a receiver got against what was committed.
 */
import { randomInt } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { send } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import {
  accept,
  answer,
  type Behaviour,
  type Receipt,
  startReceiver,
} from '../helpers/receiver.js';
import { startServiceProcess } from '../helpers/process.js';
import { environmentFor, startTestService } from '../helpers/service.js';

export interface LossReport {
  kills: number;
  /** Invocations that the database has, by their request id. */
  committed: Set<string>;
  /** Invocations that a caller was told of. */
  answered: Set<string>;
  /** Invocations of which an event arrived. */
  received: Set<string>;
  receipts: number;
  unverified: number;
  /** Deliveries that are not known to be done. */
  undone: number;
}

export interface LossOptions {
  events: number;
  kills: number;
  callers?: number;
}

export async function runLossTest({
  events,
  kills,
  callers = 8,
}: LossOptions): Promise<LossReport> {
  // It makes the account and looks into the database; the service under test is another process.
  const observer = await startTestService({ WORKER: 'off', ALLOW_PRIVATE_TARGETS: 'true' });
  const ledger = createLedger();
  const fail = failSomeOnce();
  const receiver = await startReceiver((response, request, receipt) => {
    ledger.enter(receipt);
    fail(response, request, receipt);
  });
  const environment = {
    ...environmentFor(observer),
    ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: 'error',
    DATABASE_POOL_SIZE: '8',
  };
  const tenant = await observer.tenant();
  const { name: agent } = await tenant.newAgent();
  const { data: webhook } = await tenant.api.expect('createWebhook', 201, {
    body: { url: receiver.url, events: ['agent.completed', 'agent.failed'] },
  });
  ledger.secret = webhook.secret;
  const start = () => startServiceProcess({ environment });
  let service = start();
  const answered = new Set<string>();
  let killed = 0;
  const isOver = () => answered.size >= events && killed >= kills;
  // The moment of a kill is a number of answers, so that it is as random as the work itself.
  const nextKill = () => answered.size + randomInt(1, Math.ceil((2 * events) / kills));
  let killAt = nextKill();

  const call = async () => {
    while (!isOver()) {
      const { url } = await service;
      const requestId = await invoke(url, tenant.key, agent);
      if (requestId !== undefined) answered.add(requestId);
      if (answered.size >= killAt && killed < kills) {
        killed += 1;
        killAt = nextKill();
        service = service.then((doomed) => doomed.end('SIGKILL')).then(start);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: callers }, call));
    const { prisma } = observer.database;
    const unfinished = () => prisma.delivery.count({ where: { status: { not: 'succeeded' } } });
    const undone = await eventually(async () => {
      const left = await unfinished();
      if (left > 0) throw new Error(`${left} deliveries are not done`);
      return left;
    }, 60_000).catch(unfinished);
    const invocations = await prisma.invocation.findMany({ select: { id: true } });
    return {
      kills: killed,
      committed: new Set(invocations.map(({ id }) => id)),
      answered,
      received: ledger.received,
      receipts: receiver.receipts.length,
      unverified: ledger.unverified,
      undone,
    };
  } finally {
    await (await service).end('SIGTERM');
    await receiver.close();
    await observer.stop();
  }
}

/** The request id if it was answered; undefined if the service was gone. */
async function invoke(url: string, key: string, agent: string): Promise<string | undefined> {
  try {
    const response = await send(url, 'invokeAgent', {
      path: { agent_id: agent },
      headers: { authorization: `Bearer ${key}` },
      body: { message: 'Is anybody there?' },
    });
    const body = (await response.json()) as { data?: { request_id: string } };
    return body.data?.request_id;
  } catch {
    return undefined;
  }
}

/** What arrived. A receipt is verified at once, as a receiver does: later its signature would be too old. */
function createLedger() {
  return {
    secret: '',
    received: new Set<string>(),
    unverified: 0,
    enter({ body, headers }: Receipt): void {
      try {
        const event = new Webhook(this.secret).verify(body, headers) as {
          data: { request_id: string };
        };
        this.received.add(event.data.request_id);
      } catch {
        this.unverified += 1;
      }
    },
  };
}

/** Every fiftieth event must be sent twice. */
function failSomeOnce(): Behaviour {
  const failed = new Set<string>();
  let requests = 0;
  return (response, request, receipt) => {
    requests += 1;
    const id = receipt.headers['webhook-id'] ?? '';
    const mustFail = requests % 50 === 0 && !failed.has(id);
    if (mustFail) failed.add(id);
    (mustFail ? answer(500) : accept)(response, request, receipt);
  };
}
