/** Formats names and comments in generated code. */

export function camel(name: string): string {
  return name.replace(/[_-]+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function pascal(name: string): string {
  const joined = camel(name);
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}

/** `X-MFA-Code` is the option `mfaCode`. */
export function optionName(header: string): string {
  return camel(header.toLowerCase().replace(/^x-/, ''));
}

/** A documentation comment; empty paragraphs are left out. */
export function comment(paragraphs: string[], depth: number): string {
  const indent = '    '.repeat(depth);
  const lines = paragraphs
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => paragraph.trim())
    .join('\n\n')
    .replaceAll('*/', '*\\/')
    .split('\n');
  if (lines.length === 1) return `${indent}/** ${lines.join('')} */\n`;
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`;
}
