/** A state as a coloured label. */
export type Tone = 'good' | 'bad' | 'warn' | 'neutral';

const tones: Record<string, Tone> = {
  running: 'good',
  active: 'good',
  enabled: 'good',
  approved: 'good',
  succeeded: 'good',
  completed: 'good',
  stopped: 'neutral',
  superseded: 'neutral',
  rolled_back: 'warn',
  pending: 'warn',
  waiting: 'warn',
  requires_approval: 'warn',
  skipped: 'warn',
  disabled: 'bad',
  failed: 'bad',
  rejected: 'bad',
  error: 'bad',
  warn: 'warn',
  expired: 'bad',
};

export function Badge({ state }: { state: string }) {
  return <span class={`badge ${tones[state] ?? 'neutral'}`}>{state.replaceAll('_', ' ')}</span>;
}
