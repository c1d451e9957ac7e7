/** Wraps help text to the width of the terminal. */
import { displayWidth } from './text.js';

/** Longer lines of prose are hard to read. */
const maxProseWidth = 80;
const minDescriptionWidth = 24;

/** One line of a definition list: the indented term, and its description. */
const definition = /^( +\S+(?: \S+)* {2,})(\S.*)$/;

/** A shell word with its quotes. Options and redirections stay with the word that follows them. */
const commandWord = /((--[\w-]+|[<>]) (?![-|]))?("[^"]*"|'[^']*'|[^\s"'])+/g;

/** The source is wrapped at 80 columns, so consecutive lines of prose are joined to a paragraph. */
export function wrapHelp(text: string, width: number): string[] {
  const proseWidth = Math.min(width, maxProseWidth);
  const wrapped: string[] = [];
  let paragraph: string[] = [];
  let areCommands = false;
  const endParagraph = () => {
    const indent = indentOf(paragraph[0] ?? '');
    const words = paragraph.join(' ').split(' ').filter(Boolean);
    if (words.length > 0) wrapped.push(...wrapWords(words, indent, indent, proseWidth));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    const [, term = '', description = ''] = definition.exec(line) ?? [];
    const indent = indentOf(line);
    const isTitle = /^\S.*:$/.test(line);
    if (isTitle) areCommands = /^(Examples?|For )/.test(line);
    // Lines with a JSON object or a path stay on their own.
    const isProse = !isTitle && term === '' && !/^( *$| +[{/])/.test(line);
    if (!isProse || indentOf(paragraph[0] ?? '') !== indent) endParagraph();
    if (areCommands && indent !== '') wrapped.push(...wrapCommand(line, width));
    else if (isProse) paragraph.push(line);
    else if (term !== '') wrapped.push(...wrapDefinition(term, description, proseWidth));
    else wrapped.push(...wrapWords(line.trim().split(' '), indent, `${indent}  `, width));
  }
  endParagraph();
  return wrapped;
}

function indentOf(line: string): string {
  return /^ */.exec(line)?.[0] ?? '';
}

/** Puts the description below the term if it does not fit beside it. */
export function wrapDefinition(term: string, description: string, width: number): string[] {
  const words = description.split(' ');
  const indent = ' '.repeat(displayWidth(term));
  const neededWidth = Math.max(minDescriptionWidth, ...words.map(displayWidth));
  if (width - indent.length >= neededWidth) return wrapWords(words, term, indent, width);
  const below = `${indentOf(term)}    `;
  return [term.trimEnd(), ...wrapWords(words, below, below, width)];
}

/** Continues a shell command with backslashes, so that it can be copied. */
function wrapCommand(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const indent = indentOf(line);
  const lines = wrapWords(line.match(commandWord) ?? [], indent, `${indent}  `, width - 2);
  return lines.map((part, index) => (index < lines.length - 1 ? `${part} \\` : part));
}

/** A word that is longer than the width gets its own line. */
export function wrapWords(words: string[], first: string, rest: string, width: number): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
