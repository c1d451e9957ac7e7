/** Get Agent and List Agents, compared with a bare express server that runs the same queries. */
import type { OperationId } from '../../generated/operations.js';
import { withInstallation } from './lib/installation.js';
import { type BenchContext, figure, type Figure, share } from './lib/report.js';
import { connections, pathOf } from './lib/requests.js';
import { type Contender, measureInTurn } from './lib/rounds.js';
import { targets } from './lib/targets.js';

const agents = 50;
/** Below the rate limit of an account. */
const requests = 8_000;

export function benchHttp(context: BenchContext): Promise<Figure[]> {
  return withInstallation(async ({ start, newCluster, newTenant }) => {
    const bare = await start({}, ['scripts/bench/servers/bare.ts', (await newCluster()).url]);
    const service = await start();
    const load = { connections, requests };
    const bareRead = (path: string): Contender => ({
      load: () => ({ ...load, url: bare.url, send: [{ method: 'GET', path }] }),
    });
    const read = (operation: OperationId): Contender => ({
      load: async () => {
        const { agentId, headers } = await newTenant({ agents });
        const path = pathOf(operation, agentId);
        return { ...load, url: service.url, send: [{ method: 'GET', path, headers }] };
      },
    });
    const { median, ratio } = await measureInTurn(
      {
        bareGet: bareRead('/agents/agent-7'),
        get: read('getAgent'),
        bareList: bareRead('/agents'),
        list: read('listAgents'),
      },
      context,
    );
    const { getAgent, listAgents } = targets.http;
    return [
      figure('Get Agent', median('get', 'perSecond'), 'a second'),
      share('Get Agent, of the bare server', ratio('get', 'bareGet', 'perSecond'), getAgent),
      figure('List Agents', median('list', 'perSecond'), 'a second'),
      share('List Agents, of the bare server', ratio('list', 'bareList', 'perSecond'), listAgents),
    ];
  });
}
