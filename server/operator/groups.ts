/** The groups of commands. Each is loaded when it is asked for: the help of the program must not wait for all that they import. */
import type { Command } from 'commander';
import type { Run } from './context.js';

export interface CommandGroup {
  description: string;
  load: () => Promise<(group: Command, run: Run) => void>;
}

export const groups = {
  accounts: {
    description: 'the tenants of this installation',
    load: async () => (await import('./accounts.js')).addAccountCommands,
  },
  agents: {
    description: 'the agents of an account',
    load: async () => (await import('./agents.js')).addAgentCommands,
  },
  keys: {
    description: 'the API keys of an account',
    load: async () => (await import('./keys.js')).addKeyCommands,
  },
  invocations: {
    description: 'asynchronous invocations that wait or run',
    load: async () => (await import('./invocations.js')).addInvocationCommands,
  },
  deliveries: {
    description: 'deliveries of events to webhooks',
    load: async () => (await import('./deliveries.js')).addDeliveryCommands,
  },
  deletions: {
    description: 'rows of what was deleted, which are removed in the background',
    load: async () => (await import('./deletions.js')).addDeletionCommands,
  },
  mfa: {
    description: 'authenticators for one-time codes',
    load: async () => (await import('./mfa.js')).addMfaCommands,
  },
  secrets: {
    description: 'the key that stored secrets are encrypted with',
    load: async () => (await import('./secrets.js')).addSecretsCommands,
  },
  users: {
    description: 'the users of the agents of an account',
    load: async () => (await import('./users.js')).addUserCommands,
  },
} as const satisfies Record<string, CommandGroup>;
