/** Finds the words of a search in a text. The service also matches inflected words, so beginnings count. */

export interface Part {
  text: string;
  isMatch: boolean;
}

/** Shorter beginnings would match nearly everything. */
const leastLength = 3;

export function highlight(text: string, query: string): Part[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words.map(withoutEnding);
  return (text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? []).map((part) => {
    const lower = part.toLowerCase();
    return {
      text: part,
      isMatch: stems.some((stem) =>
        stem.length < leastLength ? lower === stem : lower.startsWith(stem),
      ),
    };
  });
}

/** About what inflection changes: three letters of a long word, one of a short one. */
function withoutEnding(word: string): string {
  if (word.length > 6) return word.slice(0, -3);
  return word.length > 4 ? word.slice(0, -1) : word;
}
