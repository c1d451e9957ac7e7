/** Counts of tokens, as models report them, and their sums. */
import { constraints } from '../../generated/constraints.js';
import type { TokenUsage } from './model.js';

/** What model calls have used. */
export interface Tokens {
  /** Input plus output. */
  tokensUsed: number;
  /** By kind, as far as the models report it. */
  usage: TokenUsage;
}

export const noTokens: Tokens = { tokensUsed: 0, usage: {} };

const kindsOfTokens = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'reasoningTokens',
] as const satisfies (keyof TokenUsage)[];

export function addUsage(sum: TokenUsage, usage: TokenUsage): void {
  for (const kind of kindsOfTokens) {
    const reported = usage[kind];
    if (reported !== undefined) sum[kind] = tokenCount((sum[kind] ?? 0) + reported);
  }
}

export function addTokens(one: Tokens, other: Tokens): Tokens {
  const usage = { ...one.usage };
  addUsage(usage, other.usage);
  return { tokensUsed: tokenCount(one.tokensUsed + other.tokensUsed), usage };
}

export function tokenCount(reported: number): number {
  if (!Number.isFinite(reported)) return 0;
  return Math.min(constraints.TokenCount.maximum, Math.max(0, Math.round(reported)));
}
