/** What a row of the matrix is: a kind of credential, what it stands for, and what it is used on. */
import type { Permission } from '../../../generated/api.js';
import type { Grant } from './expected.js';
import type { AgentKind, Resources, MatrixFixture } from './fixture.js';

export interface Credential {
  who: string;
  /** The agent of its own. */
  ownAgent: AgentKind;
  /** What it is used on. */
  targets: readonly Target[];
  /** The permission whose operations it is tried with; all operations if left out. */
  triedWith?: Permission;
  issue: (fixture: MatrixFixture, ownAgent: Resources) => Promise<Issued>;
}

export interface Issued {
  /** Undefined for none. */
  bearer: string | undefined;
  grant: Grant;
}

/** Seen from the credential's own agent. */
export type Target =
  | 'its own agent'
  | 'another agent of the account'
  | 'the whole account'
  | 'another account'
  | 'an agent that takes no request'
  | 'nothing that exists';

/** A credential that is none. */
export function invalid(
  who: string,
  ownAgent: AgentKind,
  bearer: (fixture: MatrixFixture) => Promise<string> | string | undefined,
): Credential {
  return {
    who,
    ownAgent,
    targets: ['its own agent', 'an agent that takes no request'],
    issue: async (fixture) => ({ bearer: await bearer(fixture), grant: 'none' }),
  };
}

export function resourcesFor(fixture: MatrixFixture, { ownAgent }: Credential, target: Target): Resources {
  switch (target) {
    case 'its own agent':
      return fixture.resources[ownAgent];
    case 'another agent of the account':
      return fixture.resources['acme/plain'];
    case 'the whole account':
      return fixture.wholeAccount;
    case 'another account':
      return fixture.resources[ownAgent.startsWith('rival') ? 'acme/jwt' : 'rival/jwt'];
    case 'an agent that takes no request':
      return fixture.resources['closed/jwt'];
    case 'nothing that exists':
      return fixture.missing;
  }
}
