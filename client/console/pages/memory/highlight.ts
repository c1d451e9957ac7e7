/** Finds the words of a query in a text. Compares only their beginnings, since the service matches inflected forms. */

export interface Part {
  text: string;
  isMatch: boolean;
}

/** Shorter stems would match nearly everything. */
const minLength = 3;

export function highlight(text: string, query: string): Part[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words.map(withoutEnding);
  return (text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? []).map((part) => {
    const lower = part.toLowerCase();
    return {
      text: part,
      isMatch: stems.some((stem) =>
        stem.length < minLength ? lower === stem : lower.startsWith(stem),
      ),
    };
  });
}

/** Approximates stemming: removes three letters from long words, and one from shorter ones. */
function withoutEnding(word: string): string {
  if (word.length > 6) return word.slice(0, -3);
  return word.length > 4 ? word.slice(0, -1) : word;
}
