/** What a case expects of an answer, and what is wrong with an answer that is not as expected. */
import { isDeepStrictEqual } from 'node:util';

/** All that are given must hold. */
export interface Expectations {
  contains?: string;
  matches?: RegExp;
  /** A text, or any other JSON value, which the answer is parsed for. */
  equals?: unknown;
}

export type ExpectationName = keyof Expectations;

/** Empty: the answer is as expected. */
export function problemsOf(answer: string, expected: Expectations): string[] {
  const { contains, matches } = expected;
  return [
    ...(contains === undefined || answer.includes(contains)
      ? []
      : [`does not contain ${JSON.stringify(contains)}`]),
    ...(matches === undefined || matches.test(answer) ? [] : [`does not match ${String(matches)}`]),
    ...('equals' in expected ? differenceOf(answer, expected.equals) : []),
  ];
}

function differenceOf(answer: string, expected: unknown): string[] {
  if (typeof expected === 'string') {
    // Files and models end texts with line breaks that nobody means.
    return answer.trim() === expected.trim() ? [] : [`is not ${JSON.stringify(expected)}`];
  }
  const parsed = parseJson(answer);
  if (!parsed) return ['is not JSON'];
  return isDeepStrictEqual(parsed.value, expected) ? [] : [`is not ${JSON.stringify(expected)}`];
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** As a regular expression, or between slashes with flags, such as `/order \d+/i`. Throws a SyntaxError. */
export function parsePattern(text: string): RegExp {
  const [, source = text, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
  // With these, a second test of the same pattern would begin where the first one ended.
  if (/[gy]/.test(flags)) throw new SyntaxError('The flags g and y have no meaning here.');
  return new RegExp(source, flags);
}
