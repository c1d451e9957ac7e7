/** Replies as Markdown: common syntax, and hostile input. */
import { describe, expect, test } from '@jest/globals';
import { type MarkdownNode, parseMarkdown, textOf } from '../../client/console/lib/markdown.js';

/** In a short notation: `strong(…)`, and links with their URL. */
function shown(nodes: MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (['text', 'text_special'].includes(node.type)) return node.text;
      if (node.type === 'softbreak') return '/';
      const inner = node.text + shown(node.children);
      return `${node.type}(${node.url ? `${shown(node.children)} → ${node.url.href}` : inner})`;
    })
    .join('');
}

const paragraph = (text: string) => `paragraph(${text})`;

describe('text within a paragraph', () => {
  test.each([
    [
      '**bold** and *italic*, __bold__ and _italic_',
      'strong(bold) and em(italic), strong(bold) and em(italic)',
    ],
    ['***both*** ~~gone~~', 'em(strong(both)) s(gone)'],
    ['`a * b * c` and ``x ` y``', 'code_inline(a * b * c) and code_inline(x ` y)'],
    ['snake_case_name, 2 * 3 * 4', 'snake_case_name, 2 * 3 * 4'],
    ['**not closed', '**not closed'],
    ['*a **b* c**', 'em(a em(em(b) c))'],
    [String.raw`\*plain\* C:\dir`, String.raw`*plain* C:\dir`],
    ['[docs](https://a.example/x_(y)_z "Title").', 'link(docs → https://a.example/x_(y)_z).'],
    [
      'See https://a.example/b?c=d_e_f.',
      'See link(https://a.example/b?c=d_e_f → https://a.example/b?c=d_e_f).',
    ],
    ['<https://a.example>', 'link(https://a.example → https://a.example/)'],
    ['![a cat](https://a.example/cat.png)', 'image(a cat → https://a.example/cat.png)'],
    [
      '[**https://b.example**](https://a.example)',
      'link(strong(https://b.example) → https://a.example/)',
    ],
    ['[mail](mailto:a@b.example)', 'link(mail → mailto:a@b.example)'],
  ])('%s', (text, expected) => {
    expect(shown(parseMarkdown(text))).toBe(paragraph(expected));
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
    expect(shown(parseMarkdown(text))).toBe(paragraph(text));
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
    const nodes = parseMarkdown(text);
    expect(nodes.map(({ type, tag, start }) => [type, tag, start])).toEqual([
      ['heading', 'h1', undefined],
      ['paragraph', 'p', undefined],
      ['bullet_list', 'ul', undefined],
      ['blockquote', 'blockquote', undefined],
      ['table', 'table', undefined],
      ['hr', 'hr', undefined],
      ['fence', 'code', undefined],
      ['ordered_list', 'ol', 3],
    ]);
    expect(nodes.slice(1, 7).map((node) => shown([node]))).toEqual([
      paragraph('One line/and the next.'),
      'bullet_list(list_item(firstordered_list(list_item(nested)))list_item(second/goes on))',
      `blockquote(${paragraph('quoted')})`,
      'table(thead(tr(th(a)th(b)))tbody(tr(td(1)td(2 | 3))))',
      'hr()',
      'fence(# no title\n)',
    ]);
  });

  test('that are not complete yet are shown as far as they have arrived', () => {
    expect(shown(parseMarkdown('```\nlet a'))).toBe('fence(let a)');
    expect(shown(parseMarkdown('| a | b |'))).toBe(paragraph('| a | b |'));
  });

  test('that are nested too deeply, or too wide, keep their text', () => {
    expect(textOf(parseMarkdown(`${'> '.repeat(100)}deep`))).toMatch(/> deep$/);
    expect(textOf(parseMarkdown(`${'- '.repeat(100)}deep`))).toMatch(/- deep$/);
    const after = parseMarkdown(`${'- '.repeat(100)}deep\n\nafter`);
    expect(shown(after)).toMatch(/paragraph\(after\)$/);
    const wide = `|${'a|'.repeat(60)}\n|${'-|'.repeat(60)}\n|${'b|'.repeat(60)}`;
    expect(parseMarkdown(wide)).toMatchObject([{ type: 'code_block', text: wide }]);
    const emphasis = parseMarkdown(`${'*a **b '.repeat(500)}c${'** *'.repeat(500)}`);
    expect(textOf(emphasis)).toContain('c');
    expect(depthOf(emphasis)).toBeLessThanOrEqual(61);
  });
});

function depthOf(nodes: MarkdownNode[]): number {
  return nodes.reduce((depth, { children }) => Math.max(depth, 1 + depthOf(children)), 0);
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
  ['addresses', 'https://a.example/((('.repeat(14_000)],
  ['schemes', 'https://'.repeat(37_000)],
  ['mail addresses', 'mailto:a@'.repeat(33_000)],
])(
  'hostile %s are parsed quickly, and are not nested deeply',
  (_, text) => {
    expect(depthOf(parseMarkdown(text))).toBeLessThanOrEqual(61);
  },
  20_000,
);
