/** How long a prompt is, and what each kind of server says of one that is too long. */
import type { Json } from './json.js';
import { type ApiName, Rejection } from './rejection.js';
import type { Limits } from './settings.js';

/** English text has about four characters per token. */
export function estimateTokens(body: Json): number {
  const { messages, input, system, instructions, tools } = body;
  const prompt = [messages, input, system, instructions, tools].filter(
    (part) => part !== undefined,
  );
  return Math.ceil(JSON.stringify(prompt).length / 4);
}

export function tooLong(api: ApiName, body: Json, limits: Limits): Rejection | undefined {
  const { contextWindow: window, maxTokensCount } = limits.settings;
  if (window === undefined || limits.kind === 'ollama') return undefined;
  const prompt = estimateTokens(body);
  const asked = Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? 0);
  if (api === 'messages') {
    if (prompt > window)
      return new Rejection(`prompt is too long: ${prompt} tokens > ${window} maximum`);
    return maxTokensCount === true && prompt + asked > window
      ? new Rejection(
          `input length and \`max_tokens\` exceed context limit: ${prompt} + ${asked} > ${window}, decrease input length or \`max_tokens\` and try again`,
        )
      : undefined;
  }
  if (api === 'responses') {
    return prompt > window
      ? new Rejection(
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
          { param: 'input', code: 'context_length_exceeded' },
        )
      : undefined;
  }
  return tooLongForChat({ prompt, asked, window }, limits);
}

function tooLongForChat(
  { prompt, asked, window }: { prompt: number; asked: number; window: number },
  { kind }: Limits,
): Rejection | undefined {
  const countsAnswer = kind === 'openai' || kind === 'vllm' || kind === 'tgi';
  if (prompt + (countsAnswer ? asked : 0) <= window) return undefined;
  const maximum = `This model's maximum context length is ${window} tokens.`;
  switch (kind) {
    case 'lmstudio':
      return new Rejection(
        `Trying to keep the first ${prompt} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input`,
      );
    case 'llama.cpp':
      return new Rejection(
        `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
        { type: 'exceed_context_size_error', more: { n_prompt_tokens: prompt, n_ctx: window } },
      );
    case 'tgi':
      return new Rejection(
        `Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= ${window}. Given: ${prompt} \`inputs\` tokens and ${asked} \`max_new_tokens\``,
        { status: 422 },
      );
    default:
      return new Rejection(
        asked > 0
          ? `${maximum} However, you requested ${prompt + asked} tokens (${prompt} in the messages, ${asked} in the completion). Please reduce the length of the messages or completion.`
          : `${maximum} However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
        { param: 'messages', code: 'context_length_exceeded' },
      );
  }
}
