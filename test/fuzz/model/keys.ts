/** The model of API keys: what a key may grant, for how long, and when it stops working. */
import { checkFields, checkList } from './lists.js';
import { notFound, type Rules, when } from './rule.js';
import { type Call, canonicalTime, findAgent, isVisible, type KeyRecord } from './state.js';

interface Requested {
  agent_id?: string | null;
  name: string;
  permissions: string[];
  expires_at?: string | null;
}

export const keyRules = {
  listApiKeys: {
    checkAndApply: (call, _data, answer) => {
      const { agent_id: reference } = call.request.query;
      const agent = findAgent(call, reference);
      const matching = call.state.keys
        .filter((key) => isVisible(call, key))
        .filter((key) => reference === undefined || (agent && key.agent_id === agent.id))
        .map(shownKey);
      checkList(call, answer, { matching, sortable: ['created_at', 'name'] });
    },
  },

  createApiKey: {
    refusals: (call) => {
      const { agent_id: reference, permissions } = call.request.body as Requested;
      const isMissing = (reference ?? null) !== null && !findAgent(call, reference);
      const grantsMore = permissions.some((one) => !call.caller.permissions.includes(one));
      return [
        ...when(isMissing, notFound),
        ...when(grantsMore, { status: 403 }),
        ...when(!endsInTime(call), { status: 400, field: 'expires_at' }),
      ];
    },
    checkAndApply: (call, data: KeyRecord & { key: string }) => {
      const { name, permissions } = call.request.body as Requested;
      const scope = scopeOf(call);
      const expected = {
        agent_id: scope,
        name,
        permissions,
        created_by: call.caller.id,
        expires_at: endOf(call),
      };
      call.state.keys.push({
        ...expected,
        id: data.id,
        key: data.key,
        created_at: data.created_at,
        isGone: false,
      });
      checkFields(call, data, expected);
      checkFields(call, data, { preview: `ahs_…${data.key.slice(-4)}` });
    },
  },

  revokeApiKey: {
    refusals: (call) => when(keyOf(call) === undefined, notFound),
    checkAndApply: (call, data: KeyRecord) => {
      const key = keyOf(call);
      if (!key) throw new Error('The model lost a key.');
      key.isGone = true;
      checkFields(call, data, { id: key.id, revoked: true });
    },
  },
} satisfies Rules;

/** The agent that a new resource belongs to: the named one, or the caller's. */
export function scopeOf(call: Call): string | null {
  const { agent_id: reference } = call.request.body as { agent_id?: string | null };
  return (reference ?? null) === null
    ? call.caller.agent_id
    : (findAgent(call, reference)?.id ?? null);
}

function endOf(call: Call): string | null {
  const { expires_at: end } = call.request.body as Requested;
  if (end === undefined) return call.caller.expires_at;
  return end === null ? null : canonicalTime(end);
}

function endsInTime(call: Call): boolean {
  const end = endOf(call);
  const latest = call.caller.expires_at;
  const isAhead = end === null || Date.parse(end) > Date.now();
  return isAhead && (latest === null || (end !== null && end <= latest));
}

function keyOf(call: Call): KeyRecord | undefined {
  return call.state.keys.find(
    (key) => key.id === call.request.path['key_id'] && isVisible(call, key),
  );
}

function shownKey({
  id,
  agent_id,
  name,
  permissions,
  created_at,
  created_by,
  expires_at,
}: KeyRecord) {
  return { id, agent_id, name, permissions, created_at, created_by, expires_at };
}
