/** Reads the contract's sort parameter: a field, with a leading `-` for descending order. */

type Direction = 'asc' | 'desc';

type Bare<Sort extends string> = Sort extends `-${infer Field}` ? Field : Sort;

export function sortOf<Sort extends string>(
  sort: Sort,
): { field: Bare<Sort>; direction: Direction } {
  const descending = sort.startsWith('-');
  return {
    field: (descending ? sort.slice(1) : sort) as Bare<Sort>,
    direction: descending ? 'desc' : 'asc',
  };
}
