/** The command groups. Each is loaded on demand, so that `--help` does not wait for everything that they import. */
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
    description: 'queued and running asynchronous invocations',
    load: async () => (await import('./invocations.js')).addInvocationCommands,
  },
  deliveries: {
    description: 'event deliveries to webhooks',
    load: async () => (await import('./deliveries.js')).addDeliveryCommands,
  },
  deletions: {
    description: 'deleted data that is still being removed in the background',
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
    description: 'the end users of an account',
    load: async () => (await import('./users.js')).addUserCommands,
  },
} as const satisfies Record<string, CommandGroup>;
