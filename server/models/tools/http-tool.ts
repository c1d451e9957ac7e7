/** A tool that sends a request to an HTTP API. */
import type { HttpTool } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/time/duration.js';
import type { BoundedResponse } from '../../lib/net/bounded-request.js';
import { guardedRequest } from '../../lib/net/guarded-request.js';
import { readLimited } from '../../lib/net/read-limited.js';
import { readHeaders, secretsIn } from '../../lib/text/secret-reference.js';
import { errorText } from '../error-text.js';
import { defaultResultLength, maxBytesOf } from '../limits.js';
import { explainCallFailure, resultText, type Tool, ToolFailure, type ToolPolicy } from './tool.js';
import { declaredBy, fillUrl, placeholdersIn } from './url-template.js';

export function createHttpTool(
  tool: HttpTool,
  { allowPrivate, maxResult }: Omit<ToolPolicy, 'traceHeaders'>,
): Tool {
  const { name, description, parameters, method, timeout } = tool;
  const inUrl = placeholdersIn(tool.url);
  const declared = declaredBy(parameters);
  return {
    name,
    description,
    parameters,
    timeoutMs: parseDuration(timeout) ?? 0,
    mayRepeat: method === 'GET' || tool.repeat === true,
    approver: tool.approval,
    sent: (args) => pick(args, (key) => declared.has(key)),
    async call(args, signal, { key, traceHeaders }) {
      const rest = pick(args, (key) => declared.has(key) && !inUrl.has(key));
      const url = fillUrl(tool.url, args);
      const hasBody = method !== 'GET' && method !== 'DELETE';
      if (!hasBody) addToQuery(url, Object.entries(rest));
      let headers: Record<string, string>;
      let response: BoundedResponse;
      try {
        headers = await readHeaders(tool.headers);
        response = await guardedRequest(url, {
          allowPrivate,
          method,
          headers: {
            accept: 'application/json, text/*;q=0.9, */*;q=0.1',
            ...(hasBody ? { 'content-type': 'application/json' } : {}),
            'idempotency-key': key,
            ...traceHeaders,
            ...headers,
          },
          ...(hasBody ? { body: JSON.stringify(rest) } : {}),
          signal,
          maxBytes: maxBytesOf(maxResult ?? defaultResultLength),
        });
      } catch (error) {
        signal.throwIfAborted();
        throw new ToolFailure(explainCallFailure(error));
      }
      return readResult(response, { secrets: secretsIn(headers), maxResult }, signal);
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
  }: Pick<ToolPolicy, 'maxResult'> & { secrets: string[] },
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
    return `[${bytes.length} bytes of ${headers['content-type'] ?? 'an unknown type'}, which are not text]`;
  }
  return resultText(text, { secrets, maxResult, hasMore: isCut });
}
