/** Finds the differences between two configurations, in all settings that a deployment freezes. */
import { structuredPatch } from 'diff';
import type { Agent, AgentUpdate, Deployment } from '../../../src/index.js';

/** The draft of an agent, or a deployment. */
export type Configuration = Pick<
  Agent | Deployment,
  'model' | 'temperature' | 'instructions' | 'settings'
>;

export interface Difference {
  /** A path, such as `tools.http.refund.url`. */
  setting: string;
  change: ValueChange | TextChange;
}

export interface ValueChange {
  kind: 'value';
  /** Undefined if it is not set. */
  from: string | undefined;
  to: string | undefined;
}

export interface TextChange {
  kind: 'text';
  lines: ComparedLine[];
}

export interface ComparedLine {
  kind: 'added' | 'removed' | 'same' | 'gap';
  text: string;
}

export function differencesBetween(from: Configuration, to: Configuration): Difference[] {
  return compare('', settingsOf(from), settingsOf(to));
}

/** What changes in a draft that gets what a deployment froze, as far as the API can change it. */
export function loadedDraft(draft: Configuration, deployment: Configuration): AgentUpdate {
  const { model, temperature, instructions } = deployment;
  return {
    ...(model !== draft.model && { model }),
    ...(temperature !== draft.temperature && { temperature }),
    ...(instructions !== draft.instructions && { instructions }),
  };
}

function settingsOf({ model, temperature, instructions, settings }: Configuration) {
  return { model, temperature, instructions, ...settings };
}

type Parts = ReadonlyMap<string, unknown>;

/** The order of keys in objects does not matter. Lists of named items are compared by name. */
function compare(setting: string, from: unknown, to: unknown, isItem = false): Difference[] {
  // A list item that was added or removed is one difference; other values are compared part by part.
  const unset: Parts | undefined = isItem ? undefined : new Map();
  const before = from === undefined ? unset : partsOf(from);
  const after = to === undefined ? unset : partsOf(to);
  if (!before || !after || before.size + after.size === 0) return compareValues(setting, from, to);
  const isList = Array.isArray(from) || Array.isArray(to);
  const names = new Set([...before.keys(), ...after.keys()]);
  const differences = [...names].flatMap((name) =>
    compare(setting ? `${setting}.${name}` : name, before.get(name), after.get(name), isList),
  );
  return isList ? [...differences, ...compareOrder(setting, before, after)] : differences;
}

/** Undefined for a value without parts. */
function partsOf(value: unknown): Parts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const items: unknown[] = value;
  if (!items.every((item) => typeof item === 'object')) return undefined;
  const named = new Map(items.map((item, index) => [nameOf(item) ?? String(index), item]));
  return named.size === items.length ? named : new Map(Object.entries(items));
}

function nameOf(item: unknown): string | undefined {
  const isNamed = typeof item === 'object' && item !== null && 'name' in item;
  return isNamed && typeof item.name === 'string' ? item.name : undefined;
}

function compareOrder(setting: string, before: Parts, after: Parts): Difference[] {
  const from = [...before.keys()].filter((name) => after.has(name)).join(', ');
  const to = [...after.keys()].filter((name) => before.has(name)).join(', ');
  return from === to ? [] : [{ setting, change: { kind: 'value', from, to } }];
}

function compareValues(setting: string, from: unknown, to: unknown): Difference[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (isText(from) && isText(to) && (setting === 'instructions' || /\n/.test(`${from}${to}`))) {
    return [{ setting, change: { kind: 'text', lines: compareLines(from ?? '', to ?? '') } }];
  }
  return [{ setting, change: { kind: 'value', from: textOf(from), to: textOf(to) } }];
}

function isText(value: unknown): value is string | undefined {
  return typeof value === 'string' || value === undefined;
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item)).join(', ');
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

const contextLines = 2;
/** The search for the smallest diff is quadratic. Beyond this limit, all lines are shown as replaced. */
const maxEditLength = 2_000;

function compareLines(from: string, to: string): ComparedLine[] {
  const patch = structuredPatch(
    '',
    '',
    endWithLineBreak(from),
    endWithLineBreak(to),
    undefined,
    undefined,
    {
      context: contextLines,
      maxEditLength,
    },
  );
  if (!patch) {
    return [
      ...from.split('\n').map((text): ComparedLine => ({ kind: 'removed', text })),
      ...to.split('\n').map((text): ComparedLine => ({ kind: 'added', text })),
    ];
  }
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index === 0 ? [] : [{ kind: 'gap', text: '' } as const]),
    ...lines.map((line): ComparedLine => ({ kind: kindOf(line), text: line.slice(1) })),
  ]);
}

/** Ends the text with a line break, so that the diff does not report a missing one. */
function endWithLineBreak(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

function kindOf(line: string): ComparedLine['kind'] {
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}

/** Increments the last number in the label. */
export function nextVersion(version: string | undefined): string {
  if (version === undefined) return '1.0.0';
  const next = version.replace(/\d{1,15}(?=\D*$)/, (digits) => String(Number(digits) + 1));
  return next === version ? `${version}-2` : next;
}
