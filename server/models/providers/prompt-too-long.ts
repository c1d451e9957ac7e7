/** Recognises that a provider rejected a prompt because it does not fit into the context window. Each server has its own words for it. */

const statuses: readonly (number | undefined)[] = [400, 413, 422, 500, undefined];

const words = [
  // OpenAI, vLLM, OpenRouter, DeepSeek, Mistral.
  /maximum context length|exceeds? (?:the |this |your )?(?:model'?s? )?(?:available |maximum )?context/i,
  /exceeds the context (?:window|limit|size|length)/i,
  // Anthropic.
  /prompt is too long|exceed context limit|request_too_large/i,
  // vLLM, when it checks the prompt itself.
  /longer than the maximum model length/i,
  // LM Studio.
  /context (?:the )?overflows|greater than the context length|loaded with context length/i,
  // Text Generation Inference, Together.
  /inputs`? tokens \+ `?max_new_tokens/i,
  // Groq, Bedrock, Gemini.
  /reduce the length of (?:the|your) (?:messages|prompt|input)|input is too long|input token count .*exceeds/i,
  // LiteLLM.
  /ContextWindowExceeded/i,
];

/** An error event in a stream has no status. */
export function isPromptTooLong(status: number | undefined, text: string): boolean {
  // OpenAI counts tokens per minute too, and a request above that limit will never be accepted.
  if (status === 429) return /request too large/i.test(text);
  return statuses.includes(status) && words.some((pattern) => pattern.test(text));
}
