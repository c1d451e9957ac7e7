/** A row of the matrix: a kind of credential, its permissions and its targets. */
import type { Permission } from '../../../generated/api.js';
import type { Grant } from './expected.js';
import type { AgentKind, Resources, MatrixFixture } from './fixture.js';

export interface Credential {
  who: string;
  /** The credential's own agent. */
  ownAgent: AgentKind;
  /** The resources that it is used on. */
  targets: readonly Target[];
  /** Restricts the operations to those with this permission; by default all are tried. */
  onlyPermission?: Permission;
  issue: (fixture: MatrixFixture, ownAgent: Resources) => Promise<Issued>;
}

export interface Issued {
  /** Undefined for no credential. */
  bearer: string | undefined;
  grant: Grant;
}

/** Relative to the credential's own agent. */
export type Target =
  | 'its own agent'
  | 'another agent of the account'
  | 'the whole account'
  | 'another account'
  | 'an agent that rejects every request'
  | 'a missing resource';

/** An invalid credential. */
export function invalid(
  who: string,
  ownAgent: AgentKind,
  bearer: (fixture: MatrixFixture) => Promise<string> | string | undefined,
): Credential {
  return {
    who,
    ownAgent,
    targets: ['its own agent', 'an agent that rejects every request'],
    issue: async (fixture) => ({ bearer: await bearer(fixture), grant: 'none' }),
  };
}

export function resourcesFor(
  fixture: MatrixFixture,
  { ownAgent }: Credential,
  target: Target,
): Resources {
  switch (target) {
    case 'its own agent':
      return fixture.resources[ownAgent];
    case 'another agent of the account':
      return fixture.resources['acme/plain'];
    case 'the whole account':
      return fixture.wholeAccount;
    case 'another account':
      return fixture.resources[ownAgent.startsWith('rival') ? 'acme/jwt' : 'rival/jwt'];
    case 'an agent that rejects every request':
      return fixture.resources['closed/jwt'];
    case 'a missing resource':
      return fixture.missing;
  }
}
