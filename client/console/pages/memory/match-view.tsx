/** A memory entry that matches the query, with its score. */
import type { MemoryMatch } from '../../../src/index.js';
import { escapeReply } from '../../../src/printable.js';
import { Text } from '../../components/text.js';
import { Time } from '../../components/time.js';
import { linkTo } from '../../lib/router.js';
import { formatDecimal } from '../../lib/numbers.js';
import { highlight } from './highlight.js';

interface MatchViewProps {
  agent: string;
  match: MemoryMatch;
  query: string;
}

const maxShown = 2_000;

export function MatchView({ agent, match, query }: MatchViewProps) {
  const { content, role, score, metadata, created_at } = match;
  const shown = escapeReply(content.slice(0, maxShown));
  return (
    <li class="card match">
      <div class="score" title={`Score ${formatDecimal(score)} of 1`}>
        <meter min={0} max={1} value={score} aria-label="Score" />
        <span>{formatDecimal(score)}</span>
      </div>
      <div>
        <div class="prose" dir="auto">
          {highlight(shown, query).map(({ text, isMatch }, index) =>
            isMatch ? <mark key={index}>{text}</mark> : text,
          )}
          {content.length > maxShown && '…'}
        </div>
        <p class="muted facts">
          said by the {role} · <Time at={created_at} />
          {metadata.user_id !== null && (
            <>
              {' '}
              · user <Text>{metadata.user_id}</Text>
            </>
          )}
          {metadata.session_id !== null && (
            <>
              {' '}
              · session <Text>{metadata.session_id}</Text>
            </>
          )}{' '}
          ·{' '}
          <a href={linkTo(['agents', agent, 'logs'], { request: metadata.request_id })}>
            view request
          </a>
        </p>
      </div>
    </li>
  );
}
