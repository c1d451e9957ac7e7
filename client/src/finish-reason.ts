/** How a reply ended, in words for the command line and the console. */
import type { Invocation } from './generated/schema.js';

const sentences = new Map<string | undefined, string>([
  ['length', 'The reply is cut: the model reached its output limit.'],
  ['content_filter', "The reply is incomplete: the provider's content filter stopped it."],
  ['steps', 'The reply may be incomplete: the agent reached its limit of steps and had to answer.'],
]);

/** Undefined if the model had finished, or ended for a reason that is newer than this client. */
export function describeEarlyEnd(reason: Invocation['finish_reason']): string | undefined {
  return sentences.get(reason);
}
