/** Parses Markdown into a tree that is rendered as elements. HTML in it stays text. */
import MarkdownIt, { type StateBlock, type Token } from 'markdown-it';

export interface MarkdownNode {
  /** `text`, `code`, `fence`, `link`, `list_item` and so on, as markdown-it names its tokens, without `_open` and `_close`. */
  type: string;
  /** Of headings: `h1` to `h6`. */
  tag: string;
  text: string;
  /** Of links. */
  url: URL | undefined;
  /** Of numbered lists: the first number. */
  start: number | undefined;
  children: MarkdownNode[];
}

/** Lists and quotes that are nested more deeply are shown as they were written. */
const maxBlockDepth = 20;
/** Emphasis that is nested more deeply is not shown: rendering is recursive. */
const maxDepth = 60;
/** Wider tables are shown as they were written, since browsers cannot lay out thousands of columns. */
const maxColumns = 50;

const parser = new MarkdownIt({ linkify: true, maxNesting: maxBlockDepth + 2 });
// Only web pages and mail addresses: other schemes run code or open programs. Relative links would lead into the console.
parser.validateLink = (target) => webAddress(target) !== undefined;
// What merely looks like an address, such as `main.rs`, is text.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// Otherwise the parser drops what is nested too deeply.
parser.block.ruler.before('table', 'too_deep', keepDeepLines, { alt: ['paragraph', 'list'] });
parser.block.ruler.before('table', 'wide_table', keepWideTable, { alt: ['paragraph'] });

function webAddress(target: string): URL | undefined {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined;
}

function keepDeepLines(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (state.level < maxBlockDepth) return false;
  const isInside = (line: number) =>
    state.isEmpty(line) || (state.sCount[line] ?? 0) >= state.blkIndent;
  let next = start + 1;
  while (next < end && isInside(next)) next += 1;
  if (!silent) keepLines(state, start, next);
  return true;
}

function keepWideTable(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const isWide = (line: number) => lineOf(state, line).split('|').length > maxColumns;
  const isTable = start + 1 < end && isWide(start) && /^[|:\- \t]+$/.test(lineOf(state, start + 1));
  if (!isTable) return false;
  let next = start + 2;
  while (next < end && lineOf(state, next).includes('|')) next += 1;
  if (!silent) keepLines(state, start, next);
  return true;
}

function lineOf({ src, bMarks, tShift, eMarks }: StateBlock, line: number): string {
  return src.slice((bMarks[line] ?? 0) + (tShift[line] ?? 0), eMarks[line]);
}

function keepLines(state: StateBlock, start: number, end: number): void {
  const token = state.push('code_block', 'code', 0);
  token.content = state.getLines(start, end, state.blkIndent, false);
  state.line = end;
}

export function parseMarkdown(text: string): MarkdownNode[] {
  return treeOf(parser.parse(text, {}));
}

/** The parser returns a flat list with tokens that open and close. */
function treeOf(tokens: Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const open = [root];
  for (const token of tokens) {
    const siblings = open.at(-1) ?? root;
    if (token.nesting < 0) {
      open.pop();
    } else if (token.nesting > 0) {
      const node = nodeOf(token, []);
      const isShown = open.length < maxDepth && !token.hidden;
      if (isShown) siblings.push(node);
      open.push(isShown ? node.children : siblings);
    } else {
      const children = treeOf(token.children ?? []);
      if (token.type === 'inline') siblings.push(...children);
      else siblings.push(nodeOf(token, children));
    }
  }
  return root;
}

function nodeOf(token: Token, children: MarkdownNode[]): MarkdownNode {
  const start = token.attrGet('start');
  return {
    type: token.type.replace(/_open$/, ''),
    tag: token.tag,
    text: children.length > 0 ? '' : token.content,
    url: webAddress(String(token.attrGet('href') ?? token.attrGet('src') ?? '')),
    start: start === null ? undefined : Number(start),
    children,
  };
}

export function textOf(nodes: MarkdownNode[]): string {
  return nodes.map(({ text, children }) => text + textOf(children)).join('');
}
