/** What a model is to the service: a prompt goes in; pieces of text, and then what it took, come out. */

export interface Message {
  role: 'user' | 'agent';
  content: string;
}

export interface Prompt {
  instructions: string;
  temperature: number;
  /** Earlier turns of the conversation, oldest first. */
  history: readonly Message[];
  message: string;
  /** The last three are for agents that are programs of their own; a language model is not told of them. */
  context: Readonly<Record<string, unknown>>;
  agent: { id: string; name: string };
  requestId: string;
}

/** Any number of texts, then the count of tokens that were read and written. */
export type Piece = { text: string } | { tokensUsed: number };

export interface Model {
  /** Throws a ModelFailure when the model does not answer, and ends early when the signal says so. */
  generate: (prompt: Prompt, signal: AbortSignal) => AsyncIterable<Piece> | Iterable<Piece>;
}

export interface FailureDetails {
  /** Whether the same call may succeed in a moment. */
  retryable: boolean;
  /** The provider limits its rate: the fault is the load, not the call. */
  rateLimited?: boolean;
  /** How long the provider asks to wait. */
  retryAfterMs?: number | undefined;
}

/** The message says what happened, for whoever reads the agent's log: no secret, and nothing that a provider wrote. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly retryable: boolean;
  readonly rateLimited: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { retryable, rateLimited = false, retryAfterMs }: FailureDetails) {
    super(message);
    this.retryable = retryable;
    this.rateLimited = rateLimited;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The failure of a provider that answered with that HTTP status. */
export function failureOfStatus(status: number, retryAfterMs: number | undefined): ModelFailure {
  const rateLimited = status === 429;
  // A request that was wrong stays wrong; what was too early, too many or their own fault may not.
  const retryable = rateLimited || status >= 500 || status === 408 || status === 409;
  return new ModelFailure(`the provider answered with status ${status}`, {
    retryable,
    rateLimited,
    retryAfterMs,
  });
}
