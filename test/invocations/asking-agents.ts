/** Agents that ask each other, whose models follow a script of their own: each agent calls the model of its name. */
import { beforeEach } from '@jest/globals';
import { hang } from '../helpers/model-provider/failures.js';
import { replyTo, type Step } from '../helpers/model-provider/provider.js';
import type { Reply, WantedCall } from '../helpers/model-provider/reply.js';
import type { Environment, Tenant } from '../helpers/service/service.js';
import { type NewAgent, useServiceWithModel } from './service-with-model.js';

/** What a model says in each of its turns; the last one is repeated. */
export type Script = Record<string, readonly Step[]>;

interface AskingAgent extends Omit<NewAgent, 'name' | 'options'> {
  asks?: readonly (string | { name: string; timeout?: string; approval?: 'caller' | 'manage' })[];
  tools?: object;
  options?: NewAgent['options'];
}

export const asking = (...questions: (readonly [agent: string, message: string])[]): Reply => ({
  calls: questions.map(([agent, message]): WantedCall => ({
    name: `ask_${agent}`,
    arguments: { message },
  })),
  usage: { input: 100, output: 10 },
});

export const saying = (text: string): Reply => ({ text, usage: { input: 10, output: 1 } });

export const silent = hang;

export function useAskingAgents(environment: Environment = {}) {
  const fixture = useServiceWithModel(environment);
  const state: { tenant: Tenant | undefined } = { tenant: undefined };
  // Of its own for each test, so that agents can have the same names. With ten concurrent invocations, fewer than the agents of a tree.
  beforeEach(async () => {
    state.tenant = await fixture.service.tenant({ tier: 'free' });
  });
  const tenant = () => state.tenant ?? fixture.tenant;
  return {
    fixture,
    tenant,
    newAgent: (
      name: string,
      { asks = [], tools = {}, options = {}, ...settings }: AskingAgent = {},
    ) => {
      const agents = asks.map((one) => ({
        description: 'Knows more.',
        ...(typeof one === 'string' ? { name: one } : one),
      }));
      const all = { ...(agents.length > 0 ? { agents } : {}), ...tools };
      const hasTools = Object.keys(all).length > 0;
      return tenant().newAgent({
        name,
        model: `local/${name}`,
        ...settings,
        options: { ...options, ...(hasTools ? { tools: { maxSteps: 8, ...all } } : {}) },
      });
    },
    script: (script: Script) => {
      fixture.provider.behave(
        replyTo(({ model, messages }) => {
          const steps = script[model] ?? [];
          const turn = messages.filter(({ role }) => role === 'assistant').length;
          return steps[turn] ?? steps.at(-1) ?? `${model} has nothing to say.`;
        }),
      );
    },
    ask: async (name: string, message = 'Begin.', context?: object) => {
      const body = { message, ...(context ? { context } : {}) };
      const path = { agent_id: name };
      return (await tenant().api.expect('invokeAgent', 200, { path, body })).data;
    },
    /** What the model of an agent was told about its calls, in its last request. */
    resultsOf: (model: string) =>
      (
        fixture.provider
          .prompts()
          .filter((prompt) => prompt.model === model)
          .at(-1)?.messages ?? []
      ).flatMap((message) => (message.role === 'tool' ? [message.text] : [])),
    /** All invocations of the account, oldest first, by the names of their agents. */
    invocations: async () => {
      const { prisma } = fixture.service.database;
      const where = { accountId: tenant().accountId };
      const agents = await prisma.agent.findMany({ where, select: { id: true, name: true } });
      const names = new Map(agents.map(({ id, name }) => [id, name]));
      const rows = await prisma.invocation.findMany({ where, orderBy: { id: 'asc' } });
      return rows.map((row) => ({ agent: names.get(row.agentId), ...row }));
    },
  };
}
