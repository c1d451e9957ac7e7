/** What a provider says of an error, made fit for the agent's log: its sentence alone, short, on one line, without secrets. */
import { z } from 'zod';
import { redact } from '../lib/redact.js';
import { maxError } from './limits.js';

/** Of the sentence. To look for secrets takes the square of it, and whoever answers could send sixteen thousand letters. */
const maxSearched = 1_000;

/** OpenAI, Anthropic and this service nest the message; Ollama, FastAPI and others do not. */
const errorBody = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

/** `secrets` are what the request was authenticated with. Undefined if there is nothing to say. */
export function providerWords(body: string, secrets: readonly string[]): string | undefined {
  const words = redact(cut(sentenceIn(body.slice(0, maxError.bytes))), secrets)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  if (words === '') return undefined;
  const characters = Array.from(words);
  if (characters.length <= maxError.length) return words;
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

/** Ends between two words: half of a secret would not be recognised. */
function cut(sentence: string): string {
  const text = sentence.trimStart();
  return text.length <= maxSearched ? text : text.slice(0, maxSearched).replace(/\S*$/, '');
}

/** Proxies answer with pages. Each pattern also matches what is not closed, and so reads nothing twice. */
function withoutMarkup(text: string): string {
  return /^\s*</.test(text)
    ? text.replace(/<(style|script|head)\b[^]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^<>]*>?/g, ' ')
    : text;
}
