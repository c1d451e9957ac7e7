/** Agents whose refunds wait for approval, and requests that decide. */
import { randomUUID } from 'node:crypto';
import type { Call } from '../helpers/service/api.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import type { Environment } from '../helpers/service/service.js';
import { bodyOf, refund, useToolFixtures } from './tool-fixtures.js';

interface AgentSettings {
  approver?: 'caller' | 'manage';
  settings?: object;
}

export const said = (text: string) => answer(chatCompletions, [text]);

export const ask = (
  { name }: { name: string },
  context?: object,
  headers: Call['headers'] = {},
): Call => ({
  path: { agent_id: name },
  body: { message: 'Refund order 7.', ...(context ? { context } : {}) },
  headers,
});

export interface Resumption {
  decisions?: { call_id: string; decision: 'approve' | 'reject'; note?: string }[];
  message?: string;
  context?: object;
  headers?: Call['headers'];
}

export const approved = [{ call_id: 'call_1', decision: 'approve' as const }];

export function resume(
  { name }: { name: string },
  requestId: string,
  { decisions = approved, message = 'Go ahead.', context, headers = {} }: Resumption = {},
): Call {
  const body = {
    message,
    ...(context ? { context } : {}),
    resume: { request_id: requestId, decisions },
  };
  return { path: { agent_id: name }, body, headers };
}

export const idempotent = () => ({ 'idempotency-key': randomUUID() });

export function useCarefulAgents(environment: Environment | (() => Environment) = {}) {
  const tools = useToolFixtures(environment);
  const { fixture, manifestOf, newRefundAgent } = tools;
  /** An agent whose refunds need approval, and whose prices do not. */
  const newCarefulAgent = ({ approver = 'caller', settings = {} }: AgentSettings = {}) => {
    const [refundTool, price] = manifestOf('any').tools.http;
    return newRefundAgent(settings, { http: [{ ...refundTool, approval: approver }, price] });
  };
  return {
    ...tools,
    newCarefulAgent,
    /** An agent that waits for the approval of a refund. */
    pausedAgent: async ({ context, ...settings }: AgentSettings & { context?: object } = {}) => {
      const agent = await newCarefulAgent(settings);
      fixture.provider.behave(refund, said('It is refunded.'));
      const { data } = await fixture.tenant.api.expect('invokeAgent', 200, ask(agent, context));
      return { agent, paused: data };
    },
    /** What the model received last. */
    lastMessages: () => {
      const { messages } = bodyOf(fixture.provider.received.at(-1));
      return messages as { content: unknown }[];
    },
    stepsOf: (requestId: string) =>
      fixture.service.database.prisma.runStep.count({ where: { requestId } }),
    accountName: async () => {
      const where = { id: fixture.tenant.accountId };
      return (await fixture.service.database.prisma.account.findUniqueOrThrow({ where })).name;
    },
  };
}
