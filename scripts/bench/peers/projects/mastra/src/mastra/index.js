/** Mastra's server, with its storage in PostgreSQL: https://mastra.ai/docs/deployment/mastra-server */
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { Memory } from '@mastra/memory';
import { PostgresStore } from '@mastra/pg';
import { echoModel } from '../../../echo-model.mjs';
import { historyLimit, instructions, poolSize } from '../../../../settings.mjs';

const { DATABASE_URL, MODEL_URL, PORT } = process.env;

const createAgent = (id, options) => new Agent({ id, name: id, instructions, ...options });
const memory = new Memory({ options: { lastMessages: historyLimit } });
const remoteModel = { id: 'bench/echo', url: MODEL_URL, apiKey: 'none' };

export const mastra = new Mastra({
  agents: {
    plain: createAgent('plain', { model: echoModel }),
    remembering: createAgent('remembering', { model: echoModel, memory }),
    remote: createAgent('remote', { model: remoteModel, memory }),
  },
  storage: new PostgresStore({ id: 'storage', connectionString: DATABASE_URL, max: poolSize }),
  server: { host: '127.0.0.1', port: Number(PORT) },
});
