/** Agents with tools: a real MCP server and a real HTTP API, with a scripted model. */
import { writeFile } from 'node:fs/promises';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach } from '@jest/globals';
import { stringify } from 'yaml';
import { useFixture } from '../helpers/service/fixture.js';
import { type HttpServer, startHttpServer } from '../helpers/servers/http-server.js';
import { useMcpServer } from './mcp-server.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import type { Environment } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import type { Received } from '../helpers/model-provider/received.js';
import type { WantedCall } from '../helpers/model-provider/reply.js';
import { answer, callTools, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { recordsOf, useServiceWithModel } from './service-with-model.js';
import type { Call } from '../helpers/service/api.js';

/** The Authorization headers that the servers expect. */
export const tokens = {
  ORDERS_TOKEN: 'Bearer of-orders-4711',
  SHOP_TOKEN: 'Bearer of-the-shop-0815',
};

/** The tools of the MCP server. */
export const orderTools = {
  lookup: {
    description: 'Looks up an order.',
    parameters: ['order_id'],
    run: ({ order_id = '' }) => `Order ${order_id}: one bicycle, paid.`,
  },
  track: {
    description: 'Tracks a parcel.',
    parameters: ['order_id'],
    run: () => 'In Ghent since this morning.',
  },
};

interface ShopRequest {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  body: string;
}

type Respond = (
  request: IncomingMessage,
  body: string,
) => [status: number, body: string, headers?: Record<string, string>];

export interface Shop extends HttpServer {
  received: ShopRequest[];
  /** The Idempotency-Key of each request. */
  keys: (string | undefined)[];
  /** Emits `request` when one has arrived. */
  arrivals: EventEmitter;
  /** Reset before each test. */
  respond: Respond;
  /** If set, it never answers. Reset before each test. */
  isSilent: boolean;
}

const refundAll: Respond = (_request, body) => [200, JSON.stringify({ refunded: true, body })];

async function startShop(): Promise<Shop> {
  const shop = {
    received: [] as ShopRequest[],
    keys: [] as (string | undefined)[],
    arrivals: new EventEmitter(),
    respond: refundAll,
    isSilent: false,
  };
  const server = await startHttpServer((req, res) => {
    void (async () => {
      const body = await text(req);
      const { method, url, headers } = req;
      shop.received.push({ method, url, authorization: headers.authorization, body });
      shop.keys.push(String(headers['idempotency-key']));
      shop.arrivals.emit('request');
      if (shop.isSilent) return;
      const [status, sent, more = {}] = shop.respond(req, body);
      res.writeHead(status, { 'content-type': 'application/json', ...more });
      res.end(sent);
    })();
  });
  return Object.assign(shop, server);
}

const object = (...names: string[]) => ({
  type: 'object',
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});

/** The request body that the model received. */
export function bodyOf(request: Received | undefined): Record<string, unknown> {
  if (!request) throw new Error('The model got no request.');
  return request.body as Record<string, unknown>;
}

/** The call of `refund` by an agent with that tool. */
export const refund = callTools([
  { name: 'refund', arguments: { order_id: '7', reason: 'It is blue.' } },
]);

export interface RefundAgent {
  name: string;
  id: string;
}

/** One step of a model: its tool calls, or its answer. */
export type ModelStep = WantedCall[] | string;

export function useToolFixtures(environment: Environment | (() => Environment) = {}) {
  // Set before the service starts, because it tells the operator then which variables it has.
  Object.assign(process.env, tokens);
  const fixture = useServiceWithModel(environment);
  const orders = useMcpServer({});
  const shop = useFixture(startShop, (server) => server.stop());
  let made = 0;

  beforeEach(() => {
    Object.assign(process.env, tokens);
    orders.tools = { ...orderTools };
    orders.intercept = undefined;
    orders.answerCalls = undefined;
    orders.answerLists = undefined;
    orders.lists = 0;
    orders.called.length = 0;
    orders.metadata.length = 0;
    shop.received.length = 0;
    shop.keys.length = 0;
    shop.respond = refundAll;
    shop.isSilent = false;
  });
  afterEach(() => {
    for (const name of Object.keys(tokens)) Reflect.deleteProperty(process.env, name);
  });

  const manifestOf = (name: string, tools: object = {}) => ({
    name,
    // Of its own, since a rate limit holds back all calls of a model.
    model: `local/${name}`,
    timeout: '60s',
    tools: {
      mcp: [
        {
          name: 'orders',
          // One URL for each agent, since agents with the same server share its tool list.
          url: `${orders.url}?${name}`,
          headers: { Authorization: '${env:ORDERS_TOKEN}' },
          allow: ['lookup', 'track'],
          timeout: '30s',
        },
      ],
      http: [
        {
          name: 'refund',
          description: 'Refunds an order.',
          url: `${shop.url}/orders/{order_id}/refund`,
          parameters: object('order_id', 'reason'),
          headers: { Authorization: '${env:SHOP_TOKEN}' },
          timeout: '30s',
        },
        {
          name: 'price',
          description: 'The price of an article.',
          method: 'GET',
          url: `${shop.url}/prices`,
          parameters: object('article'),
          timeout: '30s',
        },
      ],
      ...tools,
    },
  });
  const operate = async (verb: 'apply' | 'diff', manifest: object) => {
    const { service, tenant } = fixture;
    const file = path.join(await temporaryFolder(), 'agent.yaml');
    await writeFile(file, stringify(manifest));
    const { name } = await service.database.prisma.account.findUniqueOrThrow({
      where: { id: tenant.accountId },
    });
    const operator = operatorInProcess(service, { ALLOW_PRIVATE_TARGETS: 'true' });
    return operator.run(['--account', name, 'agents', verb, '-f', file]);
  };
  const apply = (manifest: object) => operate('apply', manifest);

  return {
    fixture,
    orders,
    shop,
    manifestOf,
    apply,
    diff: (manifest: object) => operate('diff', manifest),
    /** Creates an agent with the tools of the manifest, or with others. */
    newToolAgent: async (tools: object = {}): Promise<string> => {
      made += 1;
      const name = `tool-agent-${made}`;
      const { code, stderr } = await apply(manifestOf(name, tools));
      if (code !== 0) throw new Error(stderr);
      return name;
    },
    /** Creates an agent whose only tool is `refund`. */
    newRefundAgent: async (settings: object = {}, tools: object = {}): Promise<RefundAgent> => {
      made += 1;
      const name = `refund-agent-${made}`;
      const { tools: all, ...manifest } = manifestOf(name);
      const http = all.http.slice(0, 1);
      const { code, stderr } = await apply({
        ...manifest,
        ...settings,
        tools: { http, ...tools },
      });
      if (code !== 0) throw new Error(stderr);
      const { prisma } = fixture.service.database;
      const { id } = await prisma.agent.findFirstOrThrow({ where: { name } });
      return { name, id };
    },
    scriptModel: (...steps: ModelStep[]) => {
      fixture.provider.behave(
        ...steps.map((step) =>
          typeof step === 'string' ? answer(chatCompletions, [step]) : callTools(step),
        ),
      );
    },
    /** The tool results in the model's last request. */
    results: () => {
      const { messages } = bodyOf(fixture.provider.received.at(-1)) as {
        messages: { role: string; content: unknown }[];
      };
      return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
    },
    /** Invokes an agent whose model fails, and returns its last log message. */
    logOfFailure: async (call: Call) => {
      const { status, headers } = await fixture.tenant.api.call('invokeAgent', call);
      if (status !== 502) throw new Error(`The invocation did not fail: status ${status}.`);
      const { logs } = await recordsOf(fixture.service, headers.get('x-request-id') ?? '');
      return logs.at(-1)?.message;
    },
  };
}
