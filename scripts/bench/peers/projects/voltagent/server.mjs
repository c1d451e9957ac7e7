/** VoltAgent's server, with its memory in PostgreSQL: https://voltagent.dev/docs/agents/memory/postgres */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, Memory, VoltAgent } from '@voltagent/core';
import { createPinoLogger } from '@voltagent/logger';
import { PostgreSQLMemoryAdapter } from '@voltagent/postgres';
import { honoServer } from '@voltagent/server-hono';
import { echoModel } from '../echo-model.mjs';
import { instructions } from '../../settings.mjs';

const { DATABASE_URL, MODEL_URL, PORT } = process.env;

// For each request the AI SDK would print the same warning about how VoltAgent calls it.
console.warn = () => undefined;

const createAgent = (name, options) => new Agent({ name, instructions, ...options });
// It asks for a connection while it holds another one: with 20 in all, 32 callers hang it for good.
const maxConnections = 64;
const memory = new Memory({
  storage: new PostgreSQLMemoryAdapter({ connection: DATABASE_URL, maxConnections }),
});
const remoteModel = createOpenAICompatible({ name: 'bench', baseURL: MODEL_URL })('echo');

new VoltAgent({
  agents: {
    plain: createAgent('plain', { model: echoModel, memory: false }),
    remembering: createAgent('remembering', { model: echoModel, memory }),
    remote: createAgent('remote', { model: remoteModel, memory }),
  },
  logger: createPinoLogger({ name: 'bench', level: 'info' }),
  server: honoServer({ hostname: '127.0.0.1', port: Number(PORT) }),
});
