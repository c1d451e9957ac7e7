/** Renders Markdown as elements and text: HTML in it is not interpreted, and no images are loaded. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { escapeReply } from '../../src/printable.js';
import { parseBlocks, type Block } from '../lib/markdown-blocks.js';
import { parseInline, type Inline } from '../lib/markdown-text.js';

export function Markdown({ children }: { children: string }) {
  const blocks = useMemo(() => parseBlocks(children), [children]);
  return (
    <div class="markdown" dir="auto">
      <Blocks blocks={blocks} />
    </div>
  );
}

function Blocks({ blocks }: { blocks: Block[] }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} />);
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <Heading level={block.level}>{inline(block.text)}</Heading>;
    case 'paragraph':
      return <p>{inline(block.text)}</p>;
    case 'code':
      return (
        <pre class="code-block">
          <code>{escapeReply(block.text)}</code>
        </pre>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return <List {...block} />;
    case 'table':
      return <Table {...block} />;
    case 'rule':
      return <hr />;
  }
}

/** The page itself uses the two highest levels. */
function Heading({ level, children }: { level: number; children: ComponentChildren }) {
  if (level === 1) return <h3>{children}</h3>;
  if (level === 2) return <h4>{children}</h4>;
  return level === 3 ? <h5>{children}</h5> : <h6>{children}</h6>;
}

function List({ start, items }: { start: number | undefined; items: Block[][] }) {
  const entries = items.map((blocks, index) => (
    <li key={index}>
      <Blocks blocks={blocks} />
    </li>
  ));
  return start === undefined ? <ul>{entries}</ul> : <ol start={start}>{entries}</ol>;
}

function Table({ head, rows }: { head: string[]; rows: string[][] }) {
  return (
    // Focusable, so that a wide table can be scrolled with the keyboard.
    <div class="markdown-table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(text: string): ComponentChildren {
  return render(parseInline(text));
}

function render(nodes: Inline[]): ComponentChildren {
  return nodes.map((node, index) => {
    switch (node.kind) {
      case 'text':
        return escapeReply(node.text);
      case 'code':
        return <code key={index}>{escapeReply(node.text)}</code>;
      case 'strong':
        return <strong key={index}>{render(node.children)}</strong>;
      case 'em':
        return <em key={index}>{render(node.children)}</em>;
      case 'del':
        return <del key={index}>{render(node.children)}</del>;
      case 'link':
        return (
          <Link key={index} url={node.url}>
            {node.children}
          </Link>
        );
    }
  });
}

/** Shows the host of the target, since the text of the link may name another one. */
function Link({ url, children }: { url: URL; children: Inline[] }) {
  const target = url.host || url.pathname;
  const text = textOf(children);
  const isPlain = url.username === '' && URL.canParse(text) && new URL(text).host === url.host;
  return (
    <>
      <a href={url.href} title={url.href} target="_blank" rel="noopener noreferrer">
        {text === '' ? target : render(children)}
      </a>
      {text !== '' && !isPlain && <span class="muted"> ({target})</span>}
    </>
  );
}

function textOf(nodes: Inline[]): string {
  return nodes.map((node) => ('children' in node ? textOf(node.children) : node.text)).join('');
}
