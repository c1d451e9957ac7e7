/** Parses emphasis, code and links in a Markdown paragraph, in linear time even for hostile input. */

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'link'; url: URL; children: Inline[] }
  | { kind: Emphasis; children: Inline[] };

type Emphasis = 'strong' | 'em' | 'del';

const emphases: Record<string, Emphasis> = {
  '**': 'strong',
  __: 'strong',
  '*': 'em',
  _: 'em',
  '~~': 'del',
};

/** Every part stops at the character that could begin it again, or at a length limit, so that matching stays linear. */
const tokens = new RegExp(
  [
    /(?<!`)`(?<code>[^`]+)`(?!`)/,
    /(?<!`)``(?<quoted>(?:[^`]|`(?!`)){1,5000})``(?!`)/,
    /!?\[(?<label>[^[\]]{0,1000})\]\((?<target>(?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,2000})(?:[ \t]+"[^"\n]{0,200}")?\)/,
    /<?(?<address>https?:\/\/[\w\-.~:/?#[\]@!$&'()+,;=%]{1,2000})>?/,
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /(?<mark>\*{1,3}|__|~~|_)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

interface Frame {
  mark: string;
  children: Inline[];
}

interface Sides {
  canOpen: boolean;
  canClose: boolean;
}

export function parseInline(text: string): Inline[] {
  const outermost: Frame = { mark: '', children: [] };
  const frames = [outermost];
  const add = (node: Inline) => frames.at(-1)?.children.push(node);
  const addText = (part: string) => {
    if (part !== '') add({ kind: 'text', text: part });
  };
  /** A mark that is not closed is text. */
  const flatten = () => {
    const { mark = '', children = [] } = frames.pop() ?? {};
    addText(mark);
    for (const child of children) add(child);
  };
  const addMark = (mark: string, { canOpen, canClose }: Sides) => {
    const open = frames.findIndex((frame) => frame.mark === mark);
    if (open > 0 && canClose) {
      while (frames.length > open + 1) flatten();
      const { children = [] } = frames.pop() ?? {};
      add({ kind: emphases[mark] ?? 'em', children });
    } else if (open < 0 && canOpen) frames.push({ mark, children: [] });
    else addText(mark);
  };
  let position = 0;
  for (const match of text.matchAll(tokens)) {
    const [whole] = match;
    const { quoted, label, target, address, escaped, mark } = match.groups ?? {};
    const code = match.groups?.['code'] ?? quoted?.trim();
    addText(text.slice(position, match.index));
    position = match.index + whole.length;
    if (mark !== undefined) {
      const sides = sidesOf(text, match.index, mark);
      for (const one of mark === '***' ? bothMarks(frames) : [mark]) addMark(one, sides);
    } else if (code !== undefined) add({ kind: 'code', text: code });
    else if (escaped !== undefined) addText(escaped);
    else if (address !== undefined) addAddress(whole, address, add, addText);
    else {
      const url = linkTarget(target ?? '');
      const children = withoutLinks(parseInline(label ?? ''));
      if (url) add({ kind: 'link', url, children });
      else addText(whole);
    }
  }
  addText(text.slice(position));
  while (frames.length > 1) flatten();
  return outermost.children;
}

/** Three asterisks are two marks; the one opened last is closed first. */
function bothMarks(frames: Frame[]): string[] {
  return frames.at(-1)?.mark === '*' ? ['*', '**'] : ['**', '*'];
}

/** Links cannot be nested. */
function withoutLinks(nodes: Inline[]): Inline[] {
  return nodes.flatMap((node): Inline[] => {
    if (!('children' in node)) return [node];
    const children = withoutLinks(node.children);
    return node.kind === 'link' ? children : [{ ...node, children }];
  });
}

/** Punctuation after a URL is not part of it. */
function addAddress(
  whole: string,
  address: string,
  add: (node: Inline) => void,
  addText: (text: string) => void,
): void {
  const isEnclosed = whole.startsWith('<') && whole.endsWith('>');
  const shown = isEnclosed ? address : address.replace(/[).,:;!?'\]]{1,10}$/, '');
  const url = linkTarget(shown);
  if (!url) {
    addText(whole);
    return;
  }
  const start = whole.indexOf(address);
  if (!isEnclosed) addText(whole.slice(0, start));
  add({ kind: 'link', url, children: [{ kind: 'text', text: shown }] });
  if (!isEnclosed) addText(whole.slice(start + shown.length));
}

/** Allows only web pages and mail addresses: other schemes run code or open programs. */
function linkTarget(target: string): URL | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(target)) return undefined;
  try {
    const url = new URL(target);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A mark must touch the emphasized text. Underscores within a word are text, as in snake_case. */
function sidesOf(text: string, index: number, mark: string): Sides {
  const before = text[index - 1] ?? ' ';
  const after = text[index + mark.length] ?? ' ';
  const isWithinWord = mark.startsWith('_') && isWordCharacter(before) && isWordCharacter(after);
  return {
    canOpen: !/\s/.test(after) && !isWithinWord,
    canClose: !/\s/.test(before) && !isWithinWord,
  };
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}
