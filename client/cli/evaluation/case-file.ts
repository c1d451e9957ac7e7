/** Parses files of cases: a YAML list. Problems are reported with line and column. */
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { CommandError, exitCodes } from '../exit-codes.js';
import { oneLine, truncate } from '../text.js';
import { type ExpectationName, type Expectations, parsePattern } from './expectations.js';

export interface Case {
  /** As given, or the beginning of the message. */
  name: string;
  message: string;
  context: Record<string, unknown>;
  expect: Expectations;
}

type Path = (string | number)[];

interface Problem {
  path: Path;
  message: string;
  /** The key of the mapping at the path that is meant. */
  key?: string;
}

/** `file` is its name in messages. Throws a CommandError that lists every problem. */
export function parseCases(text: string, file: string): Case[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  // Later errors are mostly consequences of the first.
  const [error] = document.errors;
  const problems: Problem[] = [];
  const cases = error ? [] : casesIn(document.toJS(), problems);
  if (cases.length === 0 && problems.length === 0 && !error) {
    problems.push({ path: [], message: 'there are no cases: write a list of them' });
  }
  const located = [
    ...(error ? [{ offset: error.pos[0], message: `not valid YAML: ${error.message}` }] : []),
    ...problems.map((problem) => ({ offset: offsetOf(document, problem), ...problem })),
  ];
  if (located.length === 0) return cases;
  const found = located
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, message }) => {
      const { line, col } = lines.linePos(offset);
      return `${file}:${line}:${col}: ${message}`;
    });
  throw new CommandError(`${file} is not a valid file of cases.`, exitCodes.usage, found);
}

function casesIn(content: unknown, problems: Problem[]): Case[] {
  if (content === null || content === undefined) return [];
  if (!Array.isArray(content)) {
    problems.push({ path: [], message: 'must be a list of cases, each beginning with -' });
    return [];
  }
  return content.map((value: unknown, index) => caseOf(value, [index], problems));
}

const caseKeys = ['name', 'message', 'context', 'expect'];

/** Incomplete if there are problems with it. */
function caseOf(value: unknown, path: Path, problems: Problem[]): Case {
  const fields = mappingOf(value, path, problems, 'a case with a message');
  reportUnknown(fields, { path, known: caseKeys, problems });
  const textOf = (key: string) => {
    const text = fields[key];
    if (typeof text === 'string' && text.trim() !== '') return text;
    if (text !== undefined) problems.push({ path: [...path, key], message: `${key} must be text` });
    return undefined;
  };
  const message = textOf('message');
  if (fields['message'] === undefined && isMapping(value)) {
    problems.push({ path, message: 'message is missing' });
  }
  const name = textOf('name') ?? truncate(oneLine(message ?? ''), 60);
  const { context = {}, expect } = fields;
  return {
    name,
    message: message ?? '',
    context: mappingOf(context, [...path, 'context'], problems, 'context must be a mapping'),
    expect: expect === undefined ? {} : expectationsOf(expect, [...path, 'expect'], problems),
  };
}

const expectationNames: ExpectationName[] = ['contains', 'matches', 'equals'];

function expectationsOf(value: unknown, path: Path, problems: Problem[]): Expectations {
  const given = mappingOf(value, path, problems, `expect must have ${listed(expectationNames)}`);
  reportUnknown(given, { path, known: expectationNames, problems });
  if (isMapping(value) && !expectationNames.some((name) => name in given)) {
    problems.push({ path, message: `expect must have ${listed(expectationNames)}` });
  }
  const textOf = (name: ExpectationName) => {
    const text = given[name];
    if (typeof text === 'string' && text !== '') return text;
    if (name in given) {
      problems.push({ path: [...path, name], message: `${name} must be text` });
    }
    return undefined;
  };
  const [contains, pattern] = [textOf('contains'), textOf('matches')];
  const matches = pattern === undefined ? undefined : patternOf(pattern, path, problems);
  return {
    ...(contains === undefined ? {} : { contains }),
    ...(matches === undefined ? {} : { matches }),
    ...('equals' in given ? { equals: given['equals'] } : {}),
  };
}

function patternOf(text: string, path: Path, problems: Problem[]): RegExp | undefined {
  try {
    return parsePattern(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `matches is not a regular expression: ${reason}`;
    problems.push({ path: [...path, 'matches'], message });
    return undefined;
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mappingOf(
  value: unknown,
  path: Path,
  problems: Problem[],
  what: string,
): Record<string, unknown> {
  if (isMapping(value)) return value;
  problems.push({ path, message: what.includes(' must ') ? what : `must be ${what}` });
  return {};
}

interface Known {
  path: Path;
  known: readonly string[];
  problems: Problem[];
}

function reportUnknown(fields: object, { path, known, problems }: Known): void {
  for (const key of Object.keys(fields)) {
    if (known.includes(key)) continue;
    problems.push({ path, key, message: `${key} is unknown; there are ${listed(known, 'and')}` });
  }
}

function listed(names: readonly string[], word = 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

function offsetOf(document: Document, { path, key }: Problem): number {
  // An alias stands for what is elsewhere: then the position of the next outer value counts.
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (!isNode(node) || !node.range) continue;
    const pair = isMap(node)
      ? node.items.find(({ key: own }) => isScalar(own) && own.value === key)
      : undefined;
    return isNode(pair?.key) ? (pair.key.range?.[0] ?? 0) : node.range[0];
  }
  return 0;
}
