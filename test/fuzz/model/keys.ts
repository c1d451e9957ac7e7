/** The model of API keys: what a key may grant, for how long, and when it stops working. */
import { checkFields, checkList } from './lists.js';
import { notFound, type Refusal, type Rules, when } from './rule.js';
import { type Call, canonicalTime, findAgent, isVisible, type KeyRecord } from './state.js';

interface Requested {
  agent_id?: string | null;
  name: string;
  permissions: string[];
  expires_at?: string | null;
  replaces?: { key_id: string; expires_at: string };
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
        ...refusalsToReplace(call),
      ];
    },
    checkAndApply: (call, data: KeyRecord & { key: string }) => {
      const { name, permissions, replaces } = call.request.body as Requested;
      const scope = scopeOf(call);
      const expected = {
        agent_id: scope,
        name,
        permissions,
        created_by: call.caller.id,
        expires_at: endOf(call),
      };
      const replaced = replaces && keyOf(call, replaces.key_id);
      if (replaced) replaced.expires_at = canonicalTime(replaces.expires_at);
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
    refusals: (call) => when(keyOf(call, call.request.path['key_id']) === undefined, notFound),
    checkAndApply: (call, data: KeyRecord) => {
      const key = keyOf(call, call.request.path['key_id']);
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

function refusalsToReplace(call: Call): Refusal[] {
  const { replaces } = call.request.body as Requested;
  if (!replaces) return [];
  const replaced = keyOf(call, replaces.key_id);
  const end = Date.parse(replaces.expires_at);
  const latest = Date.parse(replaced?.expires_at ?? '9999-12-31T23:59:59.999Z');
  return [
    ...when(!replaced, notFound),
    ...when(!(end > Date.now() && end <= latest), { status: 400, field: 'replaces.expires_at' }),
  ];
}

function keyOf(call: Call, id: unknown): KeyRecord | undefined {
  return call.state.keys.find((key) => key.id === id && isVisible(call, key));
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
