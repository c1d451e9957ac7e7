/** Replies as Markdown: common syntax, and hostile input. */
import { describe, expect, test } from '@jest/globals';
import { parseBlocks, type Block } from '../../client/console/lib/markdown-blocks.js';
import { parseInline, type Inline } from '../../client/console/lib/markdown-text.js';

/** In a short notation: `strong(…)`, and links with their URL. */
function shown(nodes: Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      if (node.kind === 'code') return `code(${node.text})`;
      if (node.kind === 'link') return `link(${shown(node.children)} → ${node.url.href})`;
      return `${node.kind}(${shown(node.children)})`;
    })
    .join('');
}

describe('text within a paragraph', () => {
  test.each([
    [
      '**bold** and *italic*, __bold__ and _italic_',
      'strong(bold) and em(italic), strong(bold) and em(italic)',
    ],
    ['***both*** ~~gone~~', 'strong(em(both)) del(gone)'],
    ['`a * b * c` and ``x ` y``', 'code(a * b * c) and code(x ` y)'],
    ['snake_case_name, 2 * 3 * 4', 'snake_case_name, 2 * 3 * 4'],
    ['**not closed', '**not closed'],
    ['*a **b* c**', 'em(a **b) c**'],
    [String.raw`\*plain\* C:\dir`, String.raw`*plain* C:\dir`],
    ['[docs](https://a.example/x_(y)_z "Title").', 'link(docs → https://a.example/x_(y)_z).'],
    [
      'See https://a.example/b?c=d_e_f.',
      'See link(https://a.example/b?c=d_e_f → https://a.example/b?c=d_e_f).',
    ],
    ['<https://a.example>', 'link(https://a.example → https://a.example/)'],
    ['![a cat](https://a.example/cat.png)', 'link(a cat → https://a.example/cat.png)'],
    [
      '[**https://b.example**](https://a.example)',
      'link(strong(https://b.example) → https://a.example/)',
    ],
    ['[mail](mailto:a@b.example)', 'link(mail → mailto:a@b.example)'],
  ])('%s', (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  test.each([
    '[x](javascript:alert(1))',
    '[x](JAVASCRIPT:alert%281%29)',
    '[x](data:text/html,<script>)',
    '[x](vbscript:x)',
    '[x](//evil.example)',
    '[x](/console/keys)',
    '![x](javascript:alert(1))',
    '[x](file:///etc/passwd)',
    '<b onclick="x">bold</b>',
  ])('%s stays text', (text) => {
    expect(shown(parseInline(text))).toBe(text);
  });
});

describe('blocks', () => {
  test('of all kinds are recognised', () => {
    const text = [
      '# Title',
      'One line',
      'and the next.',
      '',
      '- first',
      '  1. nested',
      '- second',
      '  goes on',
      '',
      '> quoted',
      '',
      '| a | b |',
      '|---|:-:|',
      String.raw`| 1 | 2 \| 3 |`,
      '',
      '---',
      '```js',
      '# no title',
      '```',
      '3. three',
    ].join('\n');
    const paragraph = (value: string): Block => ({ kind: 'paragraph', text: value });
    expect(parseBlocks(text)).toEqual([
      { kind: 'heading', level: 1, text: 'Title' },
      paragraph('One line\nand the next.'),
      {
        kind: 'list',
        start: undefined,
        items: [
          [paragraph('first'), { kind: 'list', start: 1, items: [[paragraph('nested')]] }],
          [paragraph('second\ngoes on')],
        ],
      },
      { kind: 'quote', blocks: [paragraph('quoted')] },
      { kind: 'table', head: ['a', 'b'], rows: [['1', '2 | 3']] },
      { kind: 'rule' },
      { kind: 'code', text: '# no title' },
      { kind: 'list', start: 3, items: [[paragraph('three')]] },
    ]);
  });

  test('that are not complete yet are shown as far as they have arrived', () => {
    expect(parseBlocks('```\nlet a')).toEqual([{ kind: 'code', text: 'let a' }]);
    expect(parseBlocks('| a | b |')).toEqual([{ kind: 'paragraph', text: '| a | b |' }]);
  });
});

/** The total length of the text in the blocks, and their depth. */
function measure(blocks: Block[]): { length: number; depth: number } {
  let [length, depth] = [0, 0];
  for (const block of blocks) {
    const inner =
      block.kind === 'quote'
        ? measure(block.blocks)
        : block.kind === 'list'
          ? measure(block.items.flat())
          : { length: 'text' in block ? block.text.length : 0, depth: 0 };
    length += inner.length;
    depth = Math.max(depth, inner.depth + 1);
    if ('text' in block) parseInline(block.text);
  }
  return { length, depth };
}

/** Each input has as many characters as a page shows at most. A quadratic parser would take hours. */
test.each([
  ['nested lists', `${'- '.repeat(10_000)}a`],
  [
    'indented lists',
    Array.from({ length: 560 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n'),
  ],
  ['nested quotes', `${'> '.repeat(150_000)}a`],
  ['backticks', '`'.repeat(300_000)],
  ['double backticks', '``a '.repeat(75_000)],
  ['code spans that are not closed', '`a '.repeat(100_000)],
  ['asterisks', '*a **b '.repeat(45_000)],
  ['closing asterisks', 'a* '.repeat(100_000)],
  ['brackets', '['.repeat(300_000)],
  ['links that are not closed', '[a](b'.repeat(60_000)],
  ['links in links', '[a](https://a.example/('.repeat(13_000)],
  ['fences', '```\n'.repeat(75_000)],
  ['fences that do not close', '~~~a\n```\n'.repeat(33_000)],
  ['pipes', `${'|'.repeat(150_000)}\n${'|-'.repeat(75_000)}|`],
  ['tables', '|a|b|\n|-|-|\n'.repeat(25_000)],
  ['incomplete rules', `${'- '.repeat(150_000)}x`],
  ['spaces', `-${' '.repeat(300_000)}x`],
  ['lists with fences', '- a\n```\n'.repeat(37_000)],
  ['backslashes', '\\'.repeat(300_000)],
])(
  'hostile %s are parsed quickly, and are not nested deeply',
  (_, text) => {
    const { length, depth } = measure(parseBlocks(text));
    expect(depth).toBeLessThanOrEqual(10);
    expect(length).toBeLessThanOrEqual(text.length);
  },
  20_000,
);
