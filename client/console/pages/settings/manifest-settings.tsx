/** Shows the part of an agent's configuration that its manifest sets. */
import type { Agent } from '../../../src/index.js';
import { LongText } from '../../components/long-text.js';
import { Text } from '../../components/text.js';

export function ManifestSettings({ agent }: { agent: Agent }) {
  return (
    <section class="card">
      <h2>Set by the manifest</h2>
      <p class="hint">
        The operator changes it with <code>npm run operator -- agents apply -f FILE</code>. Secrets
        are shown as references.
      </p>
      <h3>Part of the draft, frozen into deployments</h3>
      <SettingList settings={agent.settings} />
      <h3>In force at once, independent of deployments</h3>
      {Object.keys(agent.policy).length === 0 ? (
        <p class="muted">No budget and no security settings</p>
      ) : (
        <SettingList settings={agent.policy} />
      )}
    </section>
  );
}

function SettingList({ settings }: { settings: Record<string, unknown> }) {
  return (
    <dl class="metadata">
      {Object.entries(settings).map(([name, value]) => (
        <div key={name}>
          <dt>
            <Text>{name}</Text>
          </dt>
          <dd>
            {typeof value === 'string' ? (
              <Text>{value}</Text>
            ) : (
              <LongText text={JSON.stringify(value, null, 2)} fileName={`${name}.json`} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
