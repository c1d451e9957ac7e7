/** Wraps help by words, so that it fits the terminal. */
import { displayWidth } from './text.js';

/** Longer lines of prose are hard to read. */
const maxProseWidth = 80;
const minDescriptionWidth = 24;

/** One line of a list of terms: its indentation and term, and what it says about it. */
const definition = /^( +\S+(?: \S+)* {2,})(\S.*)$/;

/** A word of a shell, with its quotes; an option and a redirection stay with what follows them. */
const commandWord = /((--[\w-]+|[<>]) (?![-|]))?("[^"]*"|'[^']*'|[^\s"'])+/g;

/** The source is wrapped for 80 columns: lines of prose that follow each other are one paragraph. */
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
    // An object and a path are no part of the sentence before them.
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

/** Where there is no room beside a term, its description is below. */
export function wrapDefinition(term: string, description: string, width: number): string[] {
  const words = description.split(' ');
  const indent = ' '.repeat(displayWidth(term));
  const room = Math.max(minDescriptionWidth, ...words.map(displayWidth));
  if (width - indent.length >= room) return wrapWords(words, term, indent, width);
  const below = `${indentOf(term)}    `;
  return [term.trimEnd(), ...wrapWords(words, below, below, width)];
}

/** A command of a shell, continued with a backslash, so that it can be copied. */
function wrapCommand(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const indent = indentOf(line);
  const lines = wrapWords(line.match(commandWord) ?? [], indent, `${indent}  `, width - 2);
  return lines.map((part, index) => (index < lines.length - 1 ? `${part} \\` : part));
}

/** Lines of words that fit the width; a word that is longer has a line of its own. */
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
