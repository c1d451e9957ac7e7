/** Makes the text of a model storable: PostgreSQL takes neither NUL characters nor halves of surrogate pairs. */

export interface TextRepair {
  /** What can be passed on by now; the first half of a pair waits for its other half. */
  push: (text: string) => string;
  /** What is left at the end. */
  end: () => string;
}

const replacement = '\uFFFD';

export function createTextRepair(): TextRepair {
  let held = '';
  return {
    push(text) {
      const whole = held + text;
      held = endsWithHalf(whole) ? whole.slice(-1) : '';
      return clean(held === '' ? whole : whole.slice(0, -1));
    },
    end() {
      const rest = clean(held);
      held = '';
      return rest;
    },
  };
}

function endsWithHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

function clean(text: string): string {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', replacement) : text;
  return withoutNul.toWellFormed();
}
