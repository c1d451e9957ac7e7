/** A message and its reply. */
import type { Invocation, InvocationRequest, InvocationToolCall } from '../../../src/index.js';
import type { Problem } from '../../api/problem.js';

export interface Exchange {
  id: string;
  request: InvocationRequest;
  /** The part of the reply that has arrived. */
  reply: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  toolCalls: InvocationToolCall[];
  requestId: string | undefined;
  tokens: number | undefined;
  usage: Invocation['usage'];
  finishReason: Invocation['finish_reason'];
  durationMs: number | undefined;
  problem: Problem | undefined;
  stop: () => void;
}
