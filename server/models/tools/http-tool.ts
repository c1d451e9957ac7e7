/** A tool that sends a request to an HTTP API. */
import { isDeepStrictEqual } from 'node:util';
import type { HttpTool } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/time/duration.js';
import type { BoundedResponse } from '../../lib/net/bounded-request.js';
import { guardedRequest } from '../../lib/net/guarded-request.js';
import { readLimited } from '../../lib/net/read-limited.js';
import { errorText } from '../error-text.js';
import { defaultResultLength, maxBytesOf } from '../limits.js';
import { fixedArguments, hasBody } from './references.js';
import { explainCallFailure, resultText, type Tool, ToolFailure, type ToolPolicy } from './tool.js';
import { readToolHeaders } from './tool-headers.js';
import { declaredBy, fillUrl, placeholdersIn } from './url-template.js';

export function createHttpTool(
  tool: HttpTool,
  { allowPrivate, maxResult, references = {} }: Omit<ToolPolicy, 'traceHeaders' | 'origin'>,
): Tool {
  const { name, description, parameters, method, timeout } = tool;
  const inUrl = placeholdersIn(tool.url);
  const declared = declaredBy(parameters);
  const fixed = fixedArguments(tool, references);
  // What the model sends beyond its parameters is dropped, and the fixed arguments come last.
  const sent = (args: Readonly<Record<string, unknown>>) => ({
    ...pick(args, (key) => declared.has(key)),
    ...fixed,
  });
  let lastSecrets: readonly string[] = [];
  return {
    name,
    description,
    parameters,
    timeoutMs: parseDuration(timeout) ?? 0,
    mayRepeat: method === 'GET' || tool.repeat === true,
    approver: tool.approval,
    sent,
    async call(args, signal, { key, traceHeaders }) {
      const all = sent(args);
      const rest = pick(all, (name) => !inUrl.has(name));
      const url = fillUrl(tool.url, all);
      const inBody = hasBody(method);
      if (!inBody) addToQuery(url, Object.entries(rest));
      let secrets: readonly string[];
      let response: BoundedResponse;
      try {
        const headers = await readToolHeaders(tool.headers, references);
        // The same ones, because what is derived from them is kept with them.
        if (!isDeepStrictEqual(headers.secrets, lastSecrets)) lastSecrets = headers.secrets;
        secrets = lastSecrets;
        response = await guardedRequest(url, {
          allowPrivate,
          method,
          headers: {
            accept: 'application/json, text/*;q=0.9, */*;q=0.1',
            ...(inBody ? { 'content-type': 'application/json' } : {}),
            'idempotency-key': key,
            ...traceHeaders,
            ...headers.values,
          },
          ...(inBody ? { body: JSON.stringify(rest) } : {}),
          signal,
          maxBytes: maxBytesOf(maxResult ?? defaultResultLength),
        });
      } catch (error) {
        signal.throwIfAborted();
        throw new ToolFailure(explainCallFailure(error));
      }
      return readResult(response, { secrets, maxResult }, signal);
    },
  };
}

function pick(args: Readonly<Record<string, unknown>>, isWanted: (key: string) => boolean) {
  return Object.fromEntries(Object.entries(args).filter(([key]) => isWanted(key)));
}

function addToQuery(url: URL, args: [string, unknown][]): void {
  for (const [name, value] of args) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      url.searchParams.append(name, typeof item === 'string' ? item : JSON.stringify(item));
    }
  }
}

async function readResult(
  { status, body, headers }: BoundedResponse,
  {
    secrets,
    maxResult = defaultResultLength,
  }: Pick<ToolPolicy, 'maxResult'> & { secrets: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  const { bytes, isCut, isComplete } = await readLimited(body, maxBytesOf(maxResult));
  if (!isComplete) {
    signal.throwIfAborted();
    throw new ToolFailure('the connection was lost in the middle of the response');
  }
  if (status >= 300 && status <= 399) {
    throw new ToolFailure(
      `the server answered with status ${status}, a redirect, which is never followed`,
    );
  }
  const text = bytes.toString('utf8');
  if (status < 200 || status > 299) {
    throw new ToolFailure(`the server answered with status ${status}`, errorText(text, secrets));
  }
  if (text.includes('\0')) {
    const type = headers['content-type'] ?? 'an unknown type';
    return resultText(`[${bytes.length} bytes of ${type}, which are not text]`, {
      secrets,
      maxResult,
    });
  }
  return resultText(text, { secrets, maxResult, hasMore: isCut });
}
