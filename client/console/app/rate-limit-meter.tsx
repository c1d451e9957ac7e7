/** What is left of the requests that the account may make. */
import { rateLimit } from '../api/connection.js';
import { exactTime } from '../lib/time.js';
import { count } from '../lib/words.js';

export function RateLimitMeter() {
  const known = rateLimit.value;
  if (!known) return null;
  const { limit, remaining, fullAt } = known;
  return (
    <div class="rate-limit" title={`Full again at ${exactTime(fullAt)} if nothing more is sent`}>
      <span>
        {count(remaining)} of {count(limit)}
        <span class="unit"> requests</span> left
      </span>
      <meter min={0} max={limit} low={limit * 0.3} value={remaining} aria-label="Requests left" />
    </div>
  );
}
