/** The model of webhooks. */
import { scopeOf } from './keys.js';
import { checkFields, checkList } from './lists.js';
import { notFound, type Rules, when } from './rule.js';
import { type Call, findAgent, isVisible, type WebhookRecord } from './state.js';

type Requested = Pick<WebhookRecord, 'url' | 'events'> & { agent_id?: string | null };

/** The limit of the tier `enterprise`, which the fuzzer's accounts have. */
const maxWebhooks = 1_000;

export const webhookRules = {
  listWebhooks: {
    checkAndApply: (call, _data, answer) => {
      const { agent_id: reference, event } = call.request.query;
      const agent = findAgent(call, reference);
      const matching = call.state.webhooks
        .filter((webhook) => isVisible(call, webhook))
        .filter((webhook) => reference === undefined || (agent && webhook.agent_id === agent.id))
        .filter(({ events }) => event === undefined || events.includes(event))
        .map(shownWebhook);
      checkList(call, answer, { matching, sortable: ['created_at'] });
    },
  },

  createWebhook: {
    refusals: (call) => {
      const { agent_id: reference } = call.request.body as Requested;
      const isMissing = (reference ?? null) !== null && !findAgent(call, reference);
      const isFull = call.state.webhooks.filter(({ isGone }) => !isGone).length >= maxWebhooks;
      return [...when(isMissing, notFound), ...when(isFull, { status: 409 })];
    },
    checkAndApply: (call, data: WebhookRecord) => {
      const { url, events } = call.request.body as Requested;
      const expected = { agent_id: scopeOf(call), url, events };
      call.state.webhooks.push({
        ...expected,
        id: data.id,
        created_at: data.created_at,
        isGone: false,
      });
      checkFields(call, data, { ...expected, status: 'enabled', last_delivery: null });
    },
  },

  deleteWebhook: {
    refusals: (call) => when(webhookOf(call) === undefined, notFound),
    checkAndApply: (call, data: WebhookRecord) => {
      const webhook = webhookOf(call);
      if (!webhook) throw new Error('The model lost a webhook.');
      webhook.isGone = true;
      checkFields(call, data, { id: webhook.id, deleted: true });
    },
  },
} satisfies Rules;

function webhookOf(call: Call): WebhookRecord | undefined {
  return call.state.webhooks.find(
    (one) => one.id === call.request.path['webhook_id'] && isVisible(call, one),
  );
}

function shownWebhook({ id, agent_id, url, events, created_at }: WebhookRecord) {
  return { id, agent_id, url, events, created_at };
}
