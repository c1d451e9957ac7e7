/** Defines all commands. Loaded only if the arguments name a command, since it imports all of them. */
import type { Command } from 'commander';
import { addAgentCommands } from './commands/agents.js';
import { defineAgentNames } from './commands/agent-names.js';
import { defineChat } from './commands/chat.js';
import { defineCompletion } from './commands/completion.js';
import { addDeploymentCommands } from './commands/deployments.js';
import { addKeyCommands } from './commands/keys.js';
import { defineLogin } from './commands/login.js';
import { defineLogs } from './commands/logs.js';
import { addMemoryCommands } from './commands/memory.js';
import { defineMetrics } from './commands/metrics.js';
import { addProfileCommands, defineLogout } from './commands/profiles.js';
import { addWebhookCommands } from './commands/webhooks.js';
import type { CommandName } from './commands.js';
import { agentNamesCommand } from './completion/command-tree.js';
import { createRunner, type Runner } from './context.js';
import type { DefineCommand } from './program.js';

const definitions: Record<CommandName, (command: Command, run: Runner) => void> = {
  login: defineLogin,
  logout: defineLogout,
  profiles: addProfileCommands,
  chat: defineChat,
  agents: addAgentCommands,
  deployments: addDeploymentCommands,
  logs: defineLogs,
  metrics: defineMetrics,
  memory: addMemoryCommands,
  webhooks: addWebhookCommands,
  keys: addKeyCommands,
  completion: defineCompletion,
  [agentNamesCommand]: defineAgentNames,
};

export function createDefinitions(...options: Parameters<typeof createRunner>): DefineCommand {
  const run = createRunner(...options);
  return (name, command) => {
    definitions[name](command, run);
  };
}
