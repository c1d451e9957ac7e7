/** What another server says of an error, made fit for logs: its sentence alone, short, on one line, without secrets. */
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

/** `secrets` are what the request was authenticated with. Undefined if there is nothing to say. */
export function errorText(body: string, secrets: readonly string[]): string | undefined {
  const sentence = sentenceIn(body.slice(0, maxError.bytes));
  const text = redactError(sentence, secrets, maxError.bytes)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  if (text === '') return undefined;
  const characters = Array.from(text);
  if (characters.length <= maxError.length) return text;
  return `${characters.slice(0, maxError.length - 1).join('')}…`;
}

function sentenceIn(body: string): string {
  try {
    const { data } = errorBody.safeParse(JSON.parse(body));
    return data ?? body;
  } catch {
    return withoutMarkup(body);
  }
}

/** Proxies answer with pages. Each pattern also matches what is not closed, and so reads nothing twice. */
function withoutMarkup(text: string): string {
  return /^\s*</.test(text)
    ? text.replace(/<(style|script|head)\b[^]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^<>]*>?/g, ' ')
    : text;
}
