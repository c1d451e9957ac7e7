/** Selects a time range: one that ends now, or one with a custom start and end. */
import {
  customRangeQuery,
  rangeNames,
  rangeQuery,
  ranges,
  type TimeRange,
} from '../lib/time-range.js';
import { setQuery } from '../lib/router.js';
import { toLocalInput } from '../lib/time.js';

interface RangePickerProps {
  range: TimeRange;
  /** The label of the option without a limit; without it, there is no such option. */
  all?: string;
}

const custom = 'custom';

export function RangePicker({ range: { start, end, name }, all }: RangePickerProps) {
  const isCustom = name === undefined && (start !== undefined || end !== undefined);
  const moment = (label: string, at: number | undefined, set: (at: number | undefined) => void) => (
    <input
      class="input moment"
      type="datetime-local"
      step="1"
      aria-label={label}
      value={at === undefined ? '' : toLocalInput(at)}
      onChange={({ currentTarget }) => {
        const parsed = Date.parse(currentTarget.value);
        set(Number.isNaN(parsed) ? undefined : parsed);
      }}
    />
  );
  return (
    <>
      <select
        class="input"
        aria-label="Time range"
        value={isCustom ? custom : (name ?? '')}
        onChange={({ currentTarget: { value } }) => {
          if (value === custom)
            setQuery(customRangeQuery(start ?? Date.now() - 3_600_000, Date.now()));
          else setQuery(rangeQuery(rangeNames.find((candidate) => candidate === value)));
        }}
      >
        {all !== undefined && <option value="">{all}</option>}
        {rangeNames.map((value) => (
          <option key={value} value={value}>
            {ranges[value].title}
          </option>
        ))}
        <option value={custom}>From … to …</option>
      </select>
      {isCustom && (
        <>
          {moment('From', start, (at) => {
            setQuery(customRangeQuery(at, end));
          })}
          {moment('To', end, (at) => {
            setQuery(customRangeQuery(start, at));
          })}
        </>
      )}
    </>
  );
}
