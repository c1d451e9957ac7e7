/** Parses the subset of PromQL that is needed to see what a query selects. Anything else is an error. */

export interface Selector {
  name: string;
  matchers: { label: string; operator: string; value: string }[];
}

export interface Query {
  selectors: Selector[];
  /** The labels that it groups by or ignores. */
  grouping: string[];
}

const functions = new Set(
  'sum max min avg count topk rate increase histogram_quantile absent clamp_min time'.split(' '),
);
const grouping = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const operators = new Set(['and', 'or', 'unless', 'bool', 'offset']);

const tokenPattern =
  /\s*(?:(?<string>"(?:[^"\\]|\\.)*")|(?<range>\[[^\]]*\])|(?<number>\d+(?:\.\d+)?(?:e\d+)?)|(?<word>[a-zA-Z_:][\w:]*)|(?<sign>==|!=|>=|<=|=~|!~|[-+*/%^<>=(){},]))/y;

function tokens(text: string): string[] {
  const found: string[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < text.trimEnd().length) {
    const match = tokenPattern.exec(text);
    if (!match) throw new Error(`Not PromQL: ${text}`);
    found.push(match[0].trim());
  }
  return found;
}

export function parseQuery(text: string): Query {
  const all = tokens(text);
  const query: Query = { selectors: [], grouping: [] };
  let depth = 0;
  for (let at = 0; at < all.length; at += 1) {
    const token = all[at] ?? '';
    const next = all[at + 1];
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth < 0) throw new Error(`Not balanced: ${text}`);
    if (!/^[a-zA-Z_:]/.test(token) || operators.has(token)) continue;
    if (grouping.has(token)) {
      const end = all.indexOf(')', at);
      query.grouping.push(...all.slice(at + 2, end).filter((label) => label !== ','));
      at = end;
    } else if (next === '(' || (next !== undefined && grouping.has(next))) {
      if (!functions.has(token)) throw new Error(`An unknown function, ${token}: ${text}`);
    } else if (next === '{') {
      const end = all.indexOf('}', at);
      query.selectors.push({ name: token, matchers: matchersIn(all.slice(at + 2, end)) });
      at = end;
    } else {
      query.selectors.push({ name: token, matchers: [] });
    }
  }
  if (depth !== 0) throw new Error(`Not balanced: ${text}`);
  return query;
}

function matchersIn(parts: string[]): Selector['matchers'] {
  const matchers: Selector['matchers'] = [];
  for (let at = 0; at < parts.length; at += 4) {
    const [label = '', operator = '', value = '', comma] = parts.slice(at, at + 4);
    if (
      !/^[a-z_]+$/.test(label) ||
      !['=', '!=', '=~', '!~'].includes(operator) ||
      (comma ?? ',') !== ','
    ) {
      throw new Error(`Not matchers: ${parts.join(' ')}`);
    }
    matchers.push({ label, operator, value: JSON.parse(value) as string });
  }
  return matchers;
}
