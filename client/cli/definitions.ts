/** Defines all commands. Loaded only if the arguments name a command, since it imports all of them. */
import addCompletion from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { addAgentCommands } from './commands/agents.js';
import { defineChat } from './commands/chat.js';
import { addDeploymentCommands } from './commands/deployments.js';
import { defineEvaluate } from './commands/evaluate.js';
import { addKeyCommands } from './commands/keys.js';
import { defineLogin } from './commands/login.js';
import { defineLogs } from './commands/logs.js';
import { addMemoryCommands } from './commands/memory.js';
import { defineMetrics } from './commands/metrics.js';
import { addProfileCommands, defineLogout } from './commands/profiles.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { type CommandName, completionCommand } from './commands.js';
import { createRunner, type Runner } from './context.js';
import type { Definitions } from './program.js';

const definitions: Record<CommandName, (command: Command, run: Runner) => void> = {
  login: defineLogin,
  logout: defineLogout,
  profiles: addProfileCommands,
  chat: defineChat,
  agents: addAgentCommands,
  evaluate: defineEvaluate,
  deployments: addDeploymentCommands,
  logs: defineLogs,
  metrics: defineMetrics,
  memory: addMemoryCommands,
  webhooks: addWebhookCommands,
  keys: addKeyCommands,
};

export function createDefinitions(...options: Parameters<typeof createRunner>): Definitions {
  const run = createRunner(...options);
  return {
    define: (name, command) => {
      definitions[name](command, run);
    },
    addCompletion: (program) => {
      addCompletion(program, { completionCommandName: completionCommand });
    },
  };
}
