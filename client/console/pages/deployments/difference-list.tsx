/** Lists differences by setting, and those of texts line by line. */
import { Text } from '../../components/text.js';
import { plural } from '../../lib/numbers.js';
import type { ComparedLine, Difference, TextChange, ValueChange } from './differences.js';

interface DifferenceListProps {
  differences: Difference[];
  /** Collapses the lines of texts, for use in tables. */
  isCompact?: boolean;
}

/** More would make the page slow. */
const maxDifferences = 100;
const maxLines = 400;
const maxCharacters = 5_000;

export function DifferenceList({ differences, isCompact = false }: DifferenceListProps) {
  if (differences.length === 0) return <span class="muted">same configuration</span>;
  const rest = differences.length - maxDifferences;
  return (
    <ul class="differences">
      {differences.slice(0, maxDifferences).map(({ setting, change }) => (
        <li key={setting}>
          {change.kind === 'text' ? (
            <details open={!isCompact}>
              <summary>
                <Text>{setting}</Text>: {summaryOf(change)}
              </summary>
              <LineList lines={change.lines} />
            </details>
          ) : (
            <>
              <Text>{setting}</Text> <ValueView {...change} />
            </>
          )}
        </li>
      ))}
      {rest > 0 && <li>{plural(rest, 'more difference')}</li>}
    </ul>
  );
}

function summaryOf({ lines }: TextChange): string {
  const numberOf = (kind: ComparedLine['kind']) =>
    lines.filter((line) => line.kind === kind).length;
  return `${plural(numberOf('removed'), 'line')} removed, ${plural(numberOf('added'), 'line')} added`;
}

function ValueView({ from, to }: ValueChange) {
  return (
    <>
      {from === undefined ? (
        <span class="muted">not set</span>
      ) : (
        <del>
          <Text max={maxCharacters}>{from}</Text>
        </del>
      )}{' '}
      →{' '}
      {to === undefined ? (
        <span class="muted">not set</span>
      ) : (
        <ins>
          <Text max={maxCharacters}>{to}</Text>
        </ins>
      )}
    </>
  );
}

function LineList({ lines }: { lines: ComparedLine[] }) {
  const rest = lines.length - maxLines;
  return (
    <div class="compared-lines">
      {lines.slice(0, maxLines).map((line, index) => (
        <LineView key={index} {...line} />
      ))}
      {rest > 0 && <div class="muted">{plural(rest, 'more line')}</div>}
    </div>
  );
}

function LineView({ kind, text }: ComparedLine) {
  const content = <Text max={maxCharacters}>{text}</Text>;
  switch (kind) {
    case 'added':
      return <ins>+ {content}</ins>;
    case 'removed':
      return <del>− {content}</del>;
    case 'same':
      return <div>&nbsp; {content}</div>;
    case 'gap':
      return <div class="muted">…</div>;
  }
}
