/** Checks every response against the contract: status, headers, media type and body, without undocumented fields. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { isObject } from '../../scripts/lib/json.js';
import { dereferenced } from '../helpers/service/contract.js';
import { child, membersOf, type Operation, type Place, statusOfCode } from './contract.js';
import type { Answer } from './http.js';
import { assertMatches, formatted } from './mismatch.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

const validators = new Map<string, ValidateFunction>();

/** Throws a mismatch if the contract does not allow this response to the operation. */
export function checkAnswer({ operationId, pointer, responses }: Operation, answer: Answer): void {
  const { status, headers } = answer;
  const response = responses.get(status);
  assertMatches(
    response !== undefined,
    `${pointer}/responses`,
    () =>
      `${operationId} documents ${[...responses.keys()].join(', ')}, but answered ${status}: ${answer.text.slice(0, 300)}`,
  );
  for (const [name, header] of membersOf(response, 'headers')) checkHeader(name, header, answer);
  checkRateLimit(response, answer);
  const mediaType = headers['content-type']?.split(';')[0] ?? 'none';
  const [, media] = membersOf(response, 'content').find(([type]) => type === mediaType) ?? [];
  assertMatches(
    media !== undefined,
    `${response.pointer}/content`,
    () =>
      `${status} has ${membersOf(response, 'content')
        .map(([type]) => type)
        .join(', ')}, but came as ${mediaType}`,
  );
  const schema = child(media, 'schema');
  if (mediaType === 'application/json') checkValue(schema, answer.body, `the body of ${status}`);
  else if (mediaType === 'text/event-stream') checkEvents(schema, answer.text);
  if (status >= 400) checkError(answer, response);
}

/** The `data` schema of each kind of event in a stream. */
export interface StreamEvent {
  id: string;
  event: string;
  data: unknown;
}

export function eventsIn(text: string): StreamEvent[] {
  return text
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => !line.startsWith(':')))
    .filter((lines) => lines.some((line) => line !== ''))
    .map((lines) => ({
      id: lines.find((line) => line.startsWith('id: '))?.slice(4) ?? '',
      event: lines.find((line) => line.startsWith('event: '))?.slice(7) ?? '',
      data: JSON.parse(
        lines.find((line) => line.startsWith('data: '))?.slice(6) ?? 'null',
      ) as unknown,
    }));
}

function checkEvents(schema: Place, text: string): void {
  const events = eventsIn(text);
  const contents = child(schema, 'contentSchema');
  for (const event of events) checkValue(contents, event, 'an event of the stream');
  const names = events.map(({ event }) => event);
  const last = names.pop() ?? 'none';
  assertMatches(
    ['done', 'error'].includes(last) && names.every((name) => name === 'delta'),
    contents.pointer,
    () => `A stream is deltas and one done or error, but it was: ${[...names, last].join(', ')}`,
  );
}

function checkHeader(name: string, header: Place, { status, headers }: Answer): void {
  const text = headers[name.toLowerCase()];
  if (text === undefined) {
    assertMatches(
      header.node['required'] !== true,
      `${header.pointer}/required`,
      () => `${status} must have the header ${name}`,
    );
    return;
  }
  const schema = child(header, 'schema');
  const isInteger = schema.node['type'] === 'integer' && /^-?\d+$/.test(text);
  checkValue(schema, isInteger ? Number(text) : text, `the header ${name}`);
}

/** "…tell the state of the bucket on every authenticated answer": whenever the response documents these headers. */
function checkRateLimit(response: Place, { headers }: Answer): void {
  for (const [name] of membersOf(response, 'headers')) {
    if (!name.startsWith('X-RateLimit-')) continue;
    assertMatches(
      headers[name.toLowerCase()] !== undefined,
      `${response.pointer}/headers/${name}`,
      () => `An authenticated answer must have the header ${name}`,
    );
  }
}

function checkError({ status, headers, body }: Answer, response: Place): void {
  const error: unknown = isObject(body) ? body['error'] : undefined;
  const { code, retry_after: seconds } = isObject(error) ? error : {};
  assertMatches(
    statusOfCode[String(code)] === status,
    response.pointer,
    () =>
      `The code ${String(code)} belongs to ${String(statusOfCode[String(code)])}, but came with ${status}`,
  );
  const written = headers['retry-after'];
  assertMatches(
    written === (seconds === undefined ? undefined : JSON.stringify(seconds)),
    response.pointer,
    () => `Retry-After is ${String(written)}, but error.retry_after is ${formatted(seconds)}`,
  );
}

function checkValue(schema: Place, value: unknown, what: string): void {
  const known = validators.get(schema.pointer);
  const validate = known ?? ajv.compile(dereferenced(schema.node) as object);
  validators.set(schema.pointer, validate);
  if (validate(value)) return;
  const [problem] = validate.errors ?? [];
  const parameters = formatted(problem?.params);
  assertMatches(
    false,
    `${schema.pointer} ${problem?.schemaPath ?? ''}`,
    () =>
      `In ${what}, ${problem?.instancePath || 'all of it'} ${problem?.message ?? 'is wrong'} (${parameters}): ${formatted(value)}`,
  );
}
