/** Prints the results of an evaluation: a table, then the answers side by side. */
import { wrapWords } from '../help-text.js';
import type { Column } from '../table.js';
import { formatTable } from '../table.js';
import type { Line, Style } from '../styled-line.js';
import { displayWidth, escapeUnprintable, padToWidth, plural } from '../text.js';
import type { CaseResult, CaseResults } from './run-cases.js';

interface Report {
  cases: readonly CaseResults[];
  environments: readonly string[];
  /** Whether to print the answers of cases that have passed, too. */
  isVerbose: boolean;
  /** Of the terminal; undefined without one. */
  width: number | undefined;
}

export function reportOf({ cases, environments, isVerbose, width }: Report): Line[] {
  const shown = cases.filter(({ results }) => isVerbose || results.some(({ passed }) => !passed));
  return [
    ...formatTable([...cases], columnsOf(environments), width),
    ...shown.flatMap((one) => ['', ...detailsOf(one, width)]),
    '',
    ...environments.map((_, index) =>
      summaryOf(cases.flatMap(({ results }) => results[index] ?? [])),
    ),
  ];
}

const verdict = ({ passed }: CaseResult) => (passed ? 'pass' : 'fail');
const verdictStyle = ({ passed }: CaseResult): Style => (passed ? 'green' : 'red');

function columnsOf(environments: readonly string[]): Column<CaseResults>[] {
  const ofEnvironment = (environment: string, index: number): Column<CaseResults>[] => {
    const cell = (textOf: (result: CaseResult) => string) => (row: CaseResults) => {
      const result = row.results[index];
      return result ? textOf(result) : '';
    };
    return [
      {
        title: environment,
        value: cell(verdict),
        neverTruncate: true,
        style: ({ results }) => results[index] && verdictStyle(results[index]),
      },
      { title: 'time', value: cell(timeOf), neverTruncate: true },
      { title: 'tokens', value: cell(tokensOf), neverTruncate: true },
    ];
  };
  return [{ title: 'case', value: ({ name }) => name }, ...environments.flatMap(ofEnvironment)];
}

const timeOf = ({ duration_ms }: CaseResult) => (duration_ms === null ? '–' : `${duration_ms} ms`);
const tokensOf = ({ tokens_used }: CaseResult) =>
  tokens_used === null ? '–' : String(tokens_used);

const gap = 3;

/** Narrower columns would be hard to read. */
const minColumnWidth = 36;

function detailsOf({ name, results }: CaseResults, width = 0): Line[] {
  const title: Line = [{ style: 'bold', text: name }];
  const columnWidth = Math.floor((width - gap * (results.length - 1)) / results.length);
  if (results.length === 1 || columnWidth < minColumnWidth) {
    return [title, ...results.flatMap((result) => blockOf(result, width || undefined))];
  }
  const blocks = results.map((result) => blockOf(result, columnWidth));
  const height = Math.max(...blocks.map((block) => block.length));
  const rows = Array.from({ length: height }, (_, row): Line =>
    blocks.flatMap((block, index) => {
      const cell = block[row] ?? [];
      const isLast = index === blocks.length - 1;
      const padding = isLast ? 0 : columnWidth - widthOf(cell) + gap;
      return [...cell, ' '.repeat(Math.max(0, padding))];
    }),
  );
  return [title, ...rows];
}

type Spans = Exclude<Line, string>;

function widthOf(spans: Spans): number {
  return spans.reduce(
    (sum, span) => sum + displayWidth(typeof span === 'string' ? span : span.text),
    0,
  );
}

/** The verdict with its reasons, then the answer. */
function blockOf(result: CaseResult, width: number | undefined): Spans[] {
  const reasons = result.problems.length === 0 ? '' : `: ${result.problems.join('; ')}`;
  const [first = '', ...rest] = wrapped(
    `${result.environment}: ${verdict(result)}${reasons}`,
    width,
  );
  const head: Spans[] = [first, ...rest].map((text) => [{ style: verdictStyle(result), text }]);
  const answer = (result.response ?? '').split(/\r?\n/).flatMap((line) => wrapped(line, width));
  return [...head, ...(result.response === null ? [] : answer.map((text) => [text]))];
}

/** Words that are longer than the line are divided. */
function wrapped(text: string, width: number | undefined): string[] {
  const escaped = escapeUnprintable(text);
  if (width === undefined) return [escaped];
  const words = escaped.split(' ').flatMap((word) => divided(word, width));
  return wrapWords(words, '', '', width);
}

function divided(word: string, width: number): string[] {
  const characters = Array.from(word);
  if (displayWidth(word) <= width || characters.length < 2) return [word];
  const half = Math.ceil(characters.length / 2);
  const parts = [characters.slice(0, half), characters.slice(half)];
  return parts.flatMap((part) => divided(part.join(''), width));
}

function summaryOf(results: readonly CaseResult[]): Line {
  const [first] = results;
  if (!first) return '';
  const passed = results.filter((result) => result.passed).length;
  const times = results.flatMap(({ duration_ms }) => duration_ms ?? []);
  const tokens = results.reduce((sum, { tokens_used }) => sum + (tokens_used ?? 0), 0);
  const mean = Math.round(times.reduce((sum, time) => sum + time, 0) / times.length);
  return [
    { style: 'bold', text: padToWidth(first.environment, 10) },
    `  ${passed} of ${plural(results.length, 'case')} passed`,
    times.length === 0 ? '' : `, mean ${mean} ms, ${plural(tokens, 'token')}`,
  ];
}
