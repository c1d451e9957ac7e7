/** Renders Markdown as elements and text: HTML in it is not interpreted, and no images are loaded. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { escapeReply } from '../../src/printable.js';
import { type MarkdownNode, parseMarkdown, textOf } from '../lib/markdown.js';

export function Markdown({ children }: { children: string }) {
  const nodes = useMemo(() => parseMarkdown(children), [children]);
  return (
    <div class="markdown" dir="auto">
      <Nodes nodes={nodes} />
    </div>
  );
}

function Nodes({ nodes }: { nodes: MarkdownNode[] }) {
  return nodes.map((node, index) => <Node key={index} node={node} />);
}

function Node({ node }: { node: MarkdownNode }) {
  const children = <Nodes nodes={node.children} />;
  switch (node.type) {
    case 'heading':
      return <Heading tag={node.tag}>{children}</Heading>;
    case 'paragraph':
      return <p>{children}</p>;
    case 'fence':
    case 'code_block':
      return (
        <pre class="code-block">
          <code>{escapeReply(node.text.replace(/\n$/, ''))}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{children}</blockquote>;
    case 'bullet_list':
      return <ul>{children}</ul>;
    case 'ordered_list':
      return <ol start={node.start}>{children}</ol>;
    case 'list_item':
      return <li>{children}</li>;
    case 'table':
      return (
        // Focusable, so that a wide table can be scrolled with the keyboard.
        <div class="markdown-table" tabIndex={0} role="region" aria-label="Table">
          <table>{children}</table>
        </div>
      );
    case 'thead':
      return <thead>{children}</thead>;
    case 'tbody':
      return <tbody>{children}</tbody>;
    case 'tr':
      return <tr>{children}</tr>;
    case 'th':
      return <th scope="col">{children}</th>;
    case 'td':
      return <td>{children}</td>;
    case 'hr':
      return <hr />;
    case 'code_inline':
      return <code>{escapeReply(node.text)}</code>;
    case 'strong':
      return <strong>{children}</strong>;
    case 'em':
      return <em>{children}</em>;
    case 's':
      return <del>{children}</del>;
    case 'link':
    case 'image':
      return <Link node={node} />;
    case 'hardbreak':
      return <br />;
    case 'softbreak':
      return '\n';
    default:
      return escapeReply(node.text);
  }
}

/** The page itself uses the two highest levels. */
function Heading({ tag, children }: { tag: string; children: ComponentChildren }) {
  if (tag === 'h1') return <h3>{children}</h3>;
  if (tag === 'h2') return <h4>{children}</h4>;
  return tag === 'h3' ? <h5>{children}</h5> : <h6>{children}</h6>;
}

/** Shows the host of the target, since the text of the link may name another one. */
function Link({ node: { url, children } }: { node: MarkdownNode }) {
  if (!url) return <Nodes nodes={children} />;
  const target = url.host || url.pathname;
  const text = textOf(children);
  const isPlain = url.username === '' && URL.canParse(text) && new URL(text).host === url.host;
  return (
    <>
      <a href={url.href} title={url.href} target="_blank" rel="noopener noreferrer">
        {text === '' ? target : <Nodes nodes={children} />}
      </a>
      {text !== '' && !isPlain && <span class="muted"> ({target})</span>}
    </>
  );
}
