/** A value that names something in the state of the service, chosen only when the request is sent. */
import fc from 'fast-check';

export type Kind = 'agent' | 'deployment' | 'webhook' | 'key' | 'request';

/** By the name of the parameter or field that holds it. */
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

/** An id that nothing has. */
export function absentId(kind: Kind): string {
  return `${prefixes[kind]}_${'0'.repeat(26)}`;
}

/** Plain data would be taken for a value of the request itself. */
export class Reference {
  readonly kind: Kind;
  /** Which one of those that there are. */
  readonly pick: number;
  readonly by: 'id' | 'name';
  /** Of those that were deleted. */
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

/** Mostly to something that exists; now and then to what is gone, or to what the schema makes up. */
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
