/** The Damerau-Levenshtein distance of two words: insertions, deletions, substitutions and swaps of neighbours. */
export function editDistance(one: string, other: string): number {
  const from = Array.from(one);
  const to = Array.from(other);
  let secondLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (const [i, letter] of from.entries()) {
    const row = [i + 1];
    for (const [j, target] of to.entries()) {
      const substitution = at(last, j) + (letter === target ? 0 : 1);
      const isSwap = i > 0 && j > 0 && letter === to[j - 1] && from[i - 1] === target;
      row.push(
        Math.min(
          at(last, j + 1) + 1,
          at(row, j) + 1,
          substitution,
          isSwap ? at(secondLast, j - 1) + 1 : Infinity,
        ),
      );
    }
    [secondLast, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
