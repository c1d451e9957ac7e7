/** How many letters must be inserted, deleted, replaced or exchanged with their neighbour to make one word of another. */
export function editDistance(one: string, other: string): number {
  const from = Array.from(one);
  const to = Array.from(other);
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (const [i, letter] of from.entries()) {
    const row = [i + 1];
    for (const [j, wanted] of to.entries()) {
      const replaced = at(last, j) + (letter === wanted ? 0 : 1);
      const isSwap = i > 0 && j > 0 && letter === to[j - 1] && from[i - 1] === wanted;
      row.push(
        Math.min(
          at(last, j + 1) + 1,
          at(row, j) + 1,
          replaced,
          isSwap ? at(beforeLast, j - 1) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
