/** One message, asked of two environments: which ones, what they are sent, and what came of it. */
import type { InvocationRequest } from '../../../src/index.js';
import { draft, production } from '../agent/environments.js';

/** From left to right. Never the same one twice. */
export type Pair = readonly [string, string];

/** The environments of an address. The chat has the first one, too. */
export function pairOf(query: URLSearchParams): Pair {
  const first = query.get('environment') ?? production;
  const second = query.get('compare') ?? first;
  return [first, second === first ? otherThan(first) : second];
}

function otherThan(environment: string): string {
  return environment === draft ? production : draft;
}

/** Who chooses the environment of the other side exchanges the two. */
export function replaceIn([first, second]: Pair, side: 0 | 1, chosen: string): Pair {
  if (side === 0) return [chosen, chosen === second ? first : second];
  return [chosen === first ? second : first, chosen];
}

/** The parameters of the address. */
export function queryOf([first, second]: Pair): Record<'environment' | 'compare', string> {
  return { environment: first === production ? '' : first, compare: second };
}

interface Question {
  message: string;
  environment: string;
  user: string;
}

/** In no session, and not remembered: neither answer knows of the other, and none is kept. */
export function requestOf({ message, environment, user }: Question): InvocationRequest {
  return {
    message,
    environment,
    context: { remember: false, ...(user !== '' && { user_id: user }) },
  };
}

/** The part of an exchange that says what came of it. */
export interface Answer {
  request: InvocationRequest;
  state: 'running' | 'done' | 'stopped' | 'failed';
  approval: object | undefined;
}

type AnswerStatus = 'running' | 'completed' | 'requires_approval' | 'stopped' | 'failed';

export function statusOf({ state, approval }: Answer): AnswerStatus {
  if (state !== 'done') return state;
  return approval ? 'requires_approval' : 'completed';
}

/** For people who do not see the answers. Empty until both have ended. */
export function summaryOf(answers: readonly Answer[]): string {
  if (answers.some(({ state }) => state === 'running')) return '';
  return answers
    .map((answer) => `${answer.request.environment}: ${statusOf(answer).replaceAll('_', ' ')}`)
    .join(', ');
}
