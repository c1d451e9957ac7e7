/**
 * The Damerau-Levenshtein distance of two words: insertions, deletions, substitutions and swaps of adjacent letters. Infinity if it
 * exceeds the limit, which is cheaper to compute.
 */
export function editDistance(one: string, other: string, limit = Infinity): number {
  const from = Array.from(one);
  const to = Array.from(other);
  if (Math.abs(from.length - to.length) > limit) return Infinity;
  let secondLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, n) => n);
  let leastOfLast = 0;
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
    const least = Math.min(...row);
    // Later rows cost at least as much as this row, or as a swap from the previous one.
    if (least > limit && leastOfLast + 1 > limit) return Infinity;
    [secondLast, last, leastOfLast] = [last, row, least];
  }
  const distance = at(last, to.length);
  return distance > limit ? Infinity : distance;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
