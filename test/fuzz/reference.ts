/** A value that names something in the state of the service, resolved when the request is sent. */
import fc from 'fast-check';

export type Kind = 'agent' | 'deployment' | 'webhook' | 'key' | 'request';

/** By the name of the parameter or field. */
const kinds: Record<string, Kind | undefined> = {
  agent_id: 'agent',
  deployment_id: 'deployment',
  webhook_id: 'webhook',
  key_id: 'key',
  request_id: 'request',
};

const prefixes: Record<Kind, string> = {
  agent: 'agent',
  deployment: 'dep',
  webhook: 'wh',
  key: 'key',
  request: 'req',
};

/** An id that does not exist. */
export function absentId(kind: Kind): string {
  return `${prefixes[kind]}_${'0'.repeat(26)}`;
}

/** A class, because plain data would be taken for a value of the request itself. */
export class Reference {
  readonly kind: Kind;
  /** The index among the existing ones. */
  readonly pick: number;
  readonly by: 'id' | 'name';
  /** Whether it refers to a deleted one. */
  readonly isGone: boolean;

  constructor(kind: Kind, pick: number, by: 'id' | 'name', isGone: boolean) {
    this.kind = kind;
    this.pick = pick;
    this.by = by;
    this.isGone = isGone;
  }
}

export function kindOf(field: string): Kind | undefined {
  return kinds[field];
}

/** Mostly to something that exists; sometimes to something deleted, or to a random value of the schema. */
export function referenceTo(kind: Kind, madeUp: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const existing = fc
    .tuple(fc.nat(20), fc.constantFrom<'id' | 'name'>('id', 'name'))
    .map(([pick, by]) => new Reference(kind, pick, kind === 'agent' ? by : 'id', false));
  const gone = fc.nat(20).map((pick) => new Reference(kind, pick, 'id', true));
  return fc.oneof(
    { weight: 10, arbitrary: existing },
    { weight: 2, arbitrary: gone },
    { weight: 1, arbitrary: madeUp },
  );
}
