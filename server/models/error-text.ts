/** Extracts the message from another server's error response for the log: short, on one line, without secrets. */
import { z } from 'zod';
import { redactError } from '../lib/text/redact.js';
import { maxError } from './limits.js';

/** OpenAI, Anthropic and this service nest the message; Ollama, FastAPI and others do not. */
const errorBody = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

/** `secrets` are the credentials of the request. Returns undefined if the body has no message. */
export function errorText(body: string, secrets: readonly string[]): string | undefined {
  const message = messageIn(body.slice(0, maxError.bytes));
  const text = redactError(message, secrets, maxError.bytes)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  if (text === '') return undefined;
  const characters = Array.from(text);
  if (characters.length <= maxError.length) return text;
  return `${characters.slice(0, maxError.length - 1).join('')}…`;
}

function messageIn(body: string): string {
  try {
    const { data } = errorBody.safeParse(JSON.parse(body));
    return data ?? body;
  } catch {
    return withoutMarkup(body);
  }
}

/** Proxies respond with HTML pages. Each pattern also matches unclosed elements, so that it takes linear time. */
function withoutMarkup(text: string): string {
  return /^\s*</.test(text)
    ? text.replace(/<(style|script|head)\b[^]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^<>]*>?/g, ' ')
    : text;
}
