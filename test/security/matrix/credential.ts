/** What a row of the matrix is: a kind of credential, what it stands for, and what it is used on. */
import type { Permission } from '../../../generated/api.js';
import type { Grant } from './expected.js';
import type { Kind, Place, World } from './world.js';

export interface Credential {
  who: string;
  /** The agent of its own. */
  home: Kind;
  /** What it is used on. */
  targets: readonly Target[];
  /** The permission whose operations it is tried with; all operations if left out. */
  triedWith?: Permission;
  issue: (world: World, home: Place) => Promise<Issued>;
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
  home: Kind,
  bearer: (world: World) => Promise<string> | string | undefined,
): Credential {
  return {
    who,
    home,
    targets: ['its own agent', 'an agent that takes no request'],
    issue: async (world) => ({ bearer: await bearer(world), grant: 'nobody' }),
  };
}

export function placeOf(world: World, { home }: Credential, target: Target): Place {
  switch (target) {
    case 'its own agent':
      return world.places[home];
    case 'another agent of the account':
      return world.places['acme/plain'];
    case 'the whole account':
      return world.wholeAccount;
    case 'another account':
      return world.places[home.startsWith('rival') ? 'acme/jwt' : 'rival/jwt'];
    case 'an agent that takes no request':
      return world.places['closed/jwt'];
    case 'nothing that exists':
      return world.nowhere;
  }
}
