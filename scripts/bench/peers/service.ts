/** This service, as a server that is compared. */
import { newId } from '../../../server/lib/typeid.js';
import { echoModel } from '../../../server/runtime/providers/echo.js';
import { insertAgent } from '../../../server/store/agent-drafts.js';
import { root } from '../../lib/project.js';
import type { BenchEnvironment } from '../lib/environment.js';
import { message, pathOf, post } from '../lib/loads.js';
import { newTenant } from '../lib/tenant.js';
import { packageVersion } from './footprint.js';
import { conversation, type Kind, type Server, user } from './server.js';
import { historyLimit, instructions, poolSize } from './settings.mjs';

const inConversation = { user_id: user, session_id: conversation };
const contexts: Record<Kind, object> = {
  plain: { remember: false },
  remembering: inConversation,
  remote: inConversation,
};

export async function prepareService(
  { cluster, database, secrets, startService }: BenchEnvironment,
  modelUrl: string,
): Promise<Server> {
  return {
    title: `Agent Hosting Service ${await packageVersion(root)}`,
    databaseUrl: cluster.url,
    start: (port) =>
      startService({
        PORT: String(port),
        DATABASE_POOL_SIZE: String(poolSize),
        LOCAL_BASE_URL: modelUrl,
      }),
    load: async (url, kind) => {
      // With a rate-limit bucket that is full.
      const { accountId, headers } = await newTenant(database, secrets);
      const id = newId('agent');
      const model = kind === 'remote' ? 'local/echo' : echoModel;
      await insertAgent(database, {
        id,
        accountId,
        name: kind,
        model,
        instructions,
        historyLimit,
      });
      return post(url + pathOf('invokeAgent', id), headers, { message, context: contexts[kind] });
    },
    // Without the embedded PostgreSQL, since the peers have none.
    installed: { folder: root, omitOptional: true, files: ['dist'] },
  };
}
