/** Plays a random plan against a service, and returns what its clients saw. */
import { randomUUID } from 'node:crypto';
import { eventually } from '../../helpers/eventually.js';
import { type ModelProvider, startModelProvider } from '../../helpers/model-provider/provider.js';
import { type HttpServer, startHttpServer } from '../../helpers/servers/http-server.js';
import { startTestService, type Tenant, type TestService } from '../../helpers/service/service.js';
import { type Addressee, askOnce, askUntilSettled, type Ending } from './client.js';
import type { Plan, PlannedConversation, PlannedTurn } from './plans.js';
import { createTurns, type Turn, type Turns } from './turns.js';

export interface Stage {
  service: TestService;
  provider: ModelProvider;
  tenant: Tenant;
  shop: HttpServer;
  /** What the shop does with requests. */
  connect: (listener: Turns['shop']) => void;
  /** The variables of another instance. */
  environment: Record<string, string>;
  stop: () => Promise<void>;
}

export async function startStage(): Promise<Stage> {
  const provider = await startModelProvider();
  let listener: Turns['shop'] = (_req, res) => res.end();
  const shop = await startHttpServer((req, res) => {
    listener(req, res);
  });
  const environment = {
    LOCAL_BASE_URL: `${provider.url}/v1`,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    OPENAI_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: `${provider.url}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-test',
    ALLOW_PRIVATE_TARGETS: 'true',
    SHUTDOWN_TIMEOUT_MS: '1000',
    WORKER: 'off',
  };
  const service = await startTestService(environment);
  return {
    service,
    provider,
    tenant: await service.tenant(),
    shop,
    connect: (next) => {
      listener = next;
    },
    environment,
    stop: async () => {
      await provider.stop();
      await service.stop();
      await shop.stop();
    },
  };
}

/** An instance that takes the requests until it ends. */
export interface Doomed {
  url: string;
  /** How it ends: SIGKILL leaves it no time to say so in the log. */
  signal: NodeJS.Signals;
  end: (signal: NodeJS.Signals) => Promise<unknown>;
}

export interface PlayedTurn {
  turn: Turn;
  to: Addressee;
  endings: Ending[];
}

export interface Played {
  turns: Turns;
  played: PlayedTurn[];
  agentIds: string[];
  /** Whether an instance was killed. */
  hasKill: boolean;
}

const models = { local: 'llama3.2', openai: 'gpt-4o', anthropic: 'claude-sonnet-4-5' };

const stalls = ({ steps }: PlannedTurn) =>
  steps.some((step) => 'breaks' in step && step.breaks?.by === 'stall');

function refundTool(shop: HttpServer, isSilent: boolean) {
  const parameters = {
    type: 'object' as const,
    required: ['order_id', 'reason'],
    properties: { order_id: { type: 'string' }, reason: { type: 'string' } },
  };
  const refund = {
    name: 'refund',
    description: 'Refunds an order.',
    method: 'POST' as const,
    url: `${shop.url}/orders/{order_id}/refund`,
    parameters,
    timeout: isSilent ? '1s' : '30s',
  };
  return { maxSteps: 4, log: 'arguments' as const, http: [refund] };
}

const isSilent = ({ steps }: PlannedTurn) =>
  steps.some((step) => 'calls' in step && step.calls.some(({ shop }) => shop === 'silence'));

export async function play(stage: Stage, plan: Plan, doomed?: Doomed): Promise<Played> {
  const { service, provider, tenant, shop } = stage;
  const turns = createTurns(doomed && plan.end);
  stage.connect(turns.shop);
  // Each with a name of its own, since a rate limit makes the service hold back calls of that model.
  const named = plan.conversations.map((conversation) => ({
    conversation,
    model: `${models[conversation.provider]}-${randomUUID().slice(0, 8)}`,
  }));
  provider.configure({
    ...plan.server,
    models: Object.fromEntries(
      named.flatMap(({ conversation: { window }, model }) =>
        window === undefined ? [] : [[model, { contextWindow: window }]],
      ),
    ),
  });
  provider.behave(turns.behaviour);
  const agentIds: string[] = [];
  const played: PlayedTurn[] = [];
  let url = doomed?.url ?? service.url;
  let isDone = false;

  const playTurn = async (planned: PlannedTurn, to: Addressee) => {
    const turn = turns.open(planned);
    const { way, isKeyed, leavesAt } = planned;
    const repeats = isKeyed ? planned.repeats : [];
    const atOnce = repeats.filter(({ when }) => when === 'at once');
    const hasCompany = atOnce.length > 0;
    const endings: (Ending | undefined)[] = await Promise.all([
      askOnce(turn, way, to, { hasCompany, leavesAt }),
      ...atOnce.map((repeat) => askOnce(turn, repeat.way, to, { hasCompany })),
    ]);
    for (const repeat of repeats.filter(({ when }) => when === 'later')) {
      endings.push(await askUntilSettled(turn, repeat.way, to));
    }
    played.push({ turn, to, endings: endings.filter((ending) => ending !== undefined) });
  };

  const playConversation = async (
    { sessions }: PlannedConversation,
    model: string,
    provider: string,
  ) => {
    const all = sessions.flat();
    const { id: agentId } = await tenant.newAgent({
      model: `${provider}/${model}`,
      timeoutMs: all.some(stalls) ? 3_000 : 60_000,
      options: { tools: refundTool(shop, all.some(isSilent)) },
    });
    agentIds.push(agentId);
    const playSession = async (session: PlannedTurn[], index: number) => {
      const to = { url: () => url, key: tenant.key, agentId, sessionId: `s${index + 1}` };
      for (const planned of session) await playTurn(planned, to);
    };
    await Promise.all(sessions.map(playSession));
  };

  const endInBetween = async () => {
    if (!doomed) return;
    await eventually(() => {
      if (!turns.isAtEnd && !isDone) throw new Error('It is not at its end.');
    }, 600_000);
    url = service.url;
    await doomed.end(doomed.signal);
    turns.resume();
  };

  const ending = endInBetween();
  const playing = named.map(({ conversation, model }) =>
    playConversation(conversation, model, conversation.provider),
  );
  // Even if one fails, so that no client of this plan is left behind.
  await Promise.allSettled(playing);
  isDone = true;
  await Promise.all([...playing, ending]);
  return { turns, played, agentIds, hasKill: doomed?.signal === 'SIGKILL' };
}
