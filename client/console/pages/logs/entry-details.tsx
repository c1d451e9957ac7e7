/** A log entry with all its fields. */
import type { LogEntry } from '../../../src/index.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Prose, Text } from '../../components/text.js';
import { linkTo } from '../../lib/router.js';
import { exactTime } from '../../lib/time.js';

interface EntryDetailsProps {
  agent: string;
  entry: LogEntry;
  onClose: () => void;
}

export function EntryDetails({ agent, entry, onClose }: EntryDetailsProps) {
  const { timestamp, level, message, metadata } = entry;
  return (
    <aside class="entry-details" aria-label="Selected entry">
      <header>
        <Badge state={level} />
        <span class="muted">{exactTime(Date.parse(timestamp))}</span>
        <Button kind="quiet" icon="close" label="Close the entry" onClick={onClose} />
      </header>
      <Prose>{message}</Prose>
      <Metadata metadata={metadata} />
      <div class="actions">
        <a
          class="button plain"
          href={linkTo(['agents', agent, 'logs'], { request: metadata.request_id })}
        >
          All entries of this request
        </a>
        <CopyButton label="Copy as JSON" text={() => JSON.stringify(entry, null, 2)} />
      </div>
    </aside>
  );
}

/** The log of the agent that was asked, or that asked, if the field names its invocation. */
function logOf(name: string, metadata: Record<string, unknown>): string | undefined {
  const [, role] = /^(parent|child)_request_id$/.exec(name) ?? [];
  const [agent, request] = [metadata[`${role}_agent_id`], metadata[name]];
  return typeof agent === 'string' && typeof request === 'string'
    ? linkTo(['agents', agent, 'logs'], { request })
    : undefined;
}

function Value({ text, href }: { text: string; href: string | undefined }) {
  const shown = <Text max={2_000}>{text}</Text>;
  return href === undefined ? shown : <a href={href}>{shown}</a>;
}

export function Metadata({ metadata }: { metadata: Record<string, unknown> }) {
  return (
    <dl class="metadata">
      {Object.entries(metadata).map(([name, value]) => (
        <div key={name}>
          <dt>
            <Text>{name}</Text>
          </dt>
          <dd>
            <Value
              text={typeof value === 'string' ? value : JSON.stringify(value)}
              href={logOf(name, metadata)}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}
