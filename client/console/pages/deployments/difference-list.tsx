/** Differences, field by field. */
import { Text } from '../../components/text.js';
import type { Difference } from './differences.js';

export function DifferenceList({ differences }: { differences: Difference[] }) {
  if (differences.length === 0) return <span class="muted">same model and temperature</span>;
  return (
    <ul class="differences">
      {differences.map(({ field, from, to }) => (
        <li key={field}>
          {field}{' '}
          <del>
            <Text>{from}</Text>
          </del>{' '}
          →{' '}
          <ins>
            <Text>{to}</Text>
          </ins>
        </li>
      ))}
    </ul>
  );
}
