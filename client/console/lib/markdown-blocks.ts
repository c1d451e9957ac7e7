/** Parses the blocks of a Markdown text, in linear time even for hostile input. */

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'rule' };

/** Blocks that are nested more deeply are text. */
const maxDepth = 8;
/** Wider tables are text, since browsers cannot lay out thousands of columns. */
const maxColumns = 50;

const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const rule = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const quote = /^ {0,3}> ?/;
const listItem = /^( *)(?:[-*+]|(\d{1,9})[.)])(?: {1,4}|\t|$)/;

export function parseBlocks(text: string): Block[] {
  return blocksOf(text.split('\n'), 0);
}

interface ParsedBlock {
  block: Block;
  /** The line after the block. */
  next: number;
}

function blocksOf(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', text: paragraph.join('\n') });
    paragraph = [];
  };
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? '';
    const parsed = parseBlock(lines, index, depth);
    if (parsed || line.trim() === '') endParagraph();
    else paragraph.push(line);
    if (parsed) blocks.push(parsed.block);
    index = parsed?.next ?? index + 1;
  }
  endParagraph();
  return blocks;
}

/** Undefined if the line is part of a paragraph, or empty. */
function parseBlock(lines: string[], index: number, depth: number): ParsedBlock | undefined {
  const line = lines[index] ?? '';
  const opening = fence.exec(line);
  if (opening) return parseCode(lines, index, opening[1] ?? '');
  const title = heading.exec(line);
  if (title) {
    const [, marks = '', text = ''] = title;
    return { block: { kind: 'heading', level: marks.length, text }, next: index + 1 };
  }
  if (rule.test(line)) return { block: { kind: 'rule' }, next: index + 1 };
  const table = parseTable(lines, index);
  if (table || depth >= maxDepth) return table;
  if (quote.test(line)) return parseQuote(lines, index, depth);
  const item = listItem.exec(line);
  return item ? parseList(lines, index, depth, item) : undefined;
}

/** Reads until the closing fence, which may be missing while a reply arrives. */
function parseCode(lines: string[], index: number, opening: string): ParsedBlock {
  const isClosing = (line: string) => {
    const text = line.trim();
    return text.startsWith(opening) && text === opening.charAt(0).repeat(text.length);
  };
  let end = index + 1;
  while (end < lines.length && !isClosing(lines[end] ?? '')) end += 1;
  const text = lines.slice(index + 1, end).join('\n');
  return { block: { kind: 'code', text }, next: end + 1 };
}

function parseQuote(lines: string[], index: number, depth: number): ParsedBlock {
  const inside: string[] = [];
  let next = index;
  for (; quote.test(lines[next] ?? ''); next += 1)
    inside.push((lines[next] ?? '').replace(quote, ''));
  return { block: { kind: 'quote', blocks: blocksOf(inside, depth + 1) }, next };
}

/** An item continues with lines that are indented more than its marker, and with the rest of its paragraph. */
function parseList(
  lines: string[],
  index: number,
  depth: number,
  first: RegExpExecArray,
): ParsedBlock {
  const indent = first[1]?.length ?? 0;
  const isNumbered = first[2] !== undefined;
  const items: string[][] = [];
  let next = index;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const item = listItem.exec(line);
    const isSibling =
      item !== null && item[1]?.length === indent && (item[2] !== undefined) === isNumbered;
    const isBlank = line.trim() === '';
    const isInside = /^[ \t]/.test(line) && line.search(/\S/) > indent;
    const followsBlank = lines[next - 1]?.trim() === '';
    if (isSibling && !rule.test(line)) items.push([line.slice(item[0].length)]);
    else if (isBlank || isInside) items.at(-1)?.push(unindent(line, indent + 2));
    else if (!followsBlank && !item && !parseBlock(lines, next, maxDepth)) items.at(-1)?.push(line);
    else break;
  }
  const start = isNumbered ? Number(first[2]) : undefined;
  return {
    block: { kind: 'list', start, items: items.map((item) => blocksOf(item, depth + 1)) },
    next,
  };
}

function unindent(line: string, columns: number): string {
  const indent = Math.max(0, line.search(/[^ ]/));
  return line.slice(Math.min(indent, columns));
}

function parseTable(lines: string[], index: number): ParsedBlock | undefined {
  const below = lines[index + 1] ?? '';
  if (!/^[ \t:|-]+$/.test(below) || !lines[index]?.includes('|')) return undefined;
  const head = cellsOf(lines[index] ?? '');
  const dashes = cellsOf(below);
  const isTable =
    head.length === dashes.length &&
    head.length <= maxColumns &&
    dashes.every((cell) => /^:?-+:?$/.test(cell));
  if (!isTable) return undefined;
  const rows: string[][] = [];
  let next = index + 2;
  for (; lines[next]?.includes('|'); next += 1) {
    rows.push(cellsOf(lines[next] ?? '').slice(0, maxColumns));
  }
  return { block: { kind: 'table', head, rows }, next };
}

/** Pipes can be escaped with a backslash. */
function cellsOf(line: string): string[] {
  const row = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
