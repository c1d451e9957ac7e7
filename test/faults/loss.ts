/**
 * The loss test: invokes an agent continuously while the only service process is killed at random moments and restarted,
 * and then compares the received events with the committed ones.
 */
import { randomInt } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import {
  accept,
  answer,
  type Behaviour,
  type Receipt,
  startReceiver,
} from '../helpers/servers/receiver.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor, startTestService } from '../helpers/service/service.js';

export interface LossReport {
  kills: number;
  /** Committed invocations, by request id. */
  committed: Set<string>;
  /** Acknowledged invocations. */
  answered: Set<string>;
  /** Invocations whose event was received. */
  received: Set<string>;
  receipts: number;
  unverified: number;
  /** Deliveries that are not recorded as done. */
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
  // This service creates the account and queries the database; the service under test is another process.
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
  // The process is killed after a number of responses, so that the moment is as random as the load.
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

/** The request id of the response; undefined if the service was down. */
async function invoke(url: string, key: string, agent: string): Promise<string | undefined> {
  try {
    const response = await send(url, 'invokeAgent', {
      path: { agent_id: agent },
      headers: { authorization: `Bearer ${key}` },
      body: { message: 'Are you there?' },
    });
    const body = (await response.json()) as { data?: { request_id: string } };
    return body.data?.request_id;
  } catch {
    return undefined;
  }
}

/** The received events. Each signature is verified on receipt, because it would be too old later. */
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

/** Rejects every fiftieth event once, so that it is sent twice. */
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
