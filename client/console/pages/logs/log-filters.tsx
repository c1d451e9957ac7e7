/** The filters of a log. They are in the address, so that they can be shared. */
import type { LogLevel } from '../../../src/index.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { EnvironmentSelect } from '../../components/environment-select.js';
import { RangePicker } from '../../components/range-picker.js';
import { address, consoleUrl, linkTo, setQuery } from '../../lib/router.js';
import { customRangeQuery, readRange } from '../../lib/time-range.js';
import { useDeployments } from '../agent/data.js';
import { environmentsOf } from '../agent/environments.js';

export const levels: LogLevel[] = ['error', 'warn', 'info', 'debug'];

export function LogFilters({ agent }: { agent: string }) {
  const { query } = address.value;
  const { data: deployments } = useDeployments(agent);
  const range = readRange(query);
  const isFollowed = query.get('follow') === 'on';
  const request = query.get('request') ?? '';
  return (
    <div class="toolbar">
      <input
        class="input"
        type="search"
        aria-label="Filter by text, or a request id"
        placeholder="Text, or req_… ( / )"
        value={request === '' ? (query.get('q') ?? '') : request}
        onInput={({ currentTarget: { value } }) => {
          const isRequest = /^req_\w{26}$/.test(value.trim());
          setQuery(
            isRequest ? { request: value.trim(), q: undefined } : { request: undefined, q: value },
          );
        }}
      />
      <select
        class="input"
        aria-label="Level"
        value={query.get('level') ?? ''}
        onChange={({ currentTarget }) => {
          setQuery({ level: currentTarget.value });
        }}
      >
        <option value="">All levels</option>
        {levels.map((level) => (
          <option key={level}>{level}</option>
        ))}
      </select>
      <EnvironmentSelect
        aria-label="Environment"
        environments={environmentsOf(deployments)}
        value={query.get('environment') ?? ''}
        all="All environments"
        onChange={(environment) => {
          setQuery({ environment });
        }}
      />
      <RangePicker range={range} all="All time" />
      <Button
        isPressed={isFollowed}
        hint="Show new entries as they are written"
        onClick={() => {
          setQuery({ follow: isFollowed ? undefined : 'on' });
        }}
      >
        {isFollowed ? 'Following' : 'Follow'}
      </Button>
      <CopyButton label="Copy link" text={() => shareableLink()} />
    </div>
  );
}

/** Replaces a range that ends now by fixed times, so that the link shows the same entries tomorrow. */
function shareableLink(): string {
  const { path, query } = address.peek();
  const { start, end, name } = readRange(query);
  const fixed = name === undefined ? {} : customRangeQuery(start, end ?? Date.now());
  const href = linkTo(path, { ...Object.fromEntries(query), ...fixed, follow: undefined });
  return new URL(href, consoleUrl).href;
}
