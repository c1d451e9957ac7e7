/** Agents whose tools act for the user of a request, and requests by keys and tokens. */
import { randomUUID } from 'node:crypto';
import { beforeEach } from '@jest/globals';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { useFiles } from '../helpers/programs/files.js';
import { type Api, type Call, send } from '../helpers/service/api.js';
import type { Environment } from '../helpers/service/service.js';
import { useCarefulAgents } from './careful-agents.js';

const secret = 'a secret of the orders agent, of at least 32 bytes';

/** Signed for a user, as the agents here accept it. */
export const tokenOf = (user_id: string) => signToken(secret, { ...claims, user_id });
const claims = usualClaims();

export const toolAuthorization = (value: string) => ({ 'x-tool-authorization': value });

export const keyed = () => ({ 'idempotency-key': randomUUID() });
export const asynchronous = () => ({ prefer: 'respond-async', ...keyed() });

export function useActingAgents(environment: Environment | (() => Environment) = {}) {
  const agents = useCarefulAgents(environment);
  const { fixture, shop, orders, newRefundAgent, manifestOf, apply } = agents;
  const files = useFiles();
  /** The headers of each request to the shop. */
  const headers: Record<string, unknown>[] = [];

  beforeEach(() => {
    headers.length = 0;
    orders.authorizations.length = 0;
    orders.refuses = undefined;
    const { respond } = shop;
    shop.respond = (request, body) => {
      headers.push(request.headers);
      return respond(request, body);
    };
  });

  /** An HTTP tool `orders`, of this user only. */
  const ordersTool = (settings: object = {}) => ({
    name: 'orders',
    description: 'The orders of the customer.',
    url: `${shop.url}/orders`,
    parameters: { type: 'object', properties: { status: { type: 'string' } } },
    timeout: '30s',
    ...settings,
  });
  const ofToken = { headers: { Authorization: '${caller.token}' } };

  return {
    ...agents,
    headers,
    ordersTool,
    /** Its only tool is `orders`; it accepts tokens. */
    newOrdersAgent: async (tool: object = ofToken, settings: object = {}) => {
      const file = await files.write('secret', secret);
      const auth = { type: 'jwt', secret: `\${file:${file}}` };
      return newRefundAgent({ auth, ...settings }, { http: [ordersTool(tool)] });
    },
    /** Applies its manifest with another tool. */
    changeTool: async ({ name }: { name: string }, tool: object) => {
      const { code, stderr } = await apply({
        ...manifestOf(name),
        tools: { http: [ordersTool(tool)] },
      });
      if (code !== 0) throw new Error(stderr);
    },
    /** Its only tools are those of the MCP server, which gets the caller's token. */
    newServerAgent: async () => {
      const [server] = manifestOf(`acting-${randomUUID()}`).tools.mcp;
      return newRefundAgent({}, { http: undefined, mcp: [{ ...server, ...ofToken }] });
    },
    /** A caller with a token of the user. */
    as: (user: string): Api => fixture.service.api(tokenOf(user)),
    /** The last request to the shop. */
    lastRequest: () => {
      const { url = '', body = '', ...request } = shop.received.at(-1) ?? {};
      const { pathname, searchParams } = new URL(url, shop.url);
      return { ...request, path: pathname, query: [...searchParams].sort(), body };
    },
    sendTo: (url: string, call: Call) =>
      send(url, 'invokeAgent', {
        ...call,
        headers: { authorization: `Bearer ${fixture.tenant.key}`, ...call.headers },
      }),
  };
}
