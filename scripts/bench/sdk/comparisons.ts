/** The calls that are compared: each through the SDK, and by plain fetch. */
import { randomUUID } from 'node:crypto';
import createFetchClient from 'openapi-fetch';
import type * as Sdk from '../../../client/src/index.js';
import { operations } from '../../../generated/operations.js';
import { type Goal, targets } from '../lib/targets.js';

export type Call = () => Promise<unknown>;

export interface Comparison {
  title: string;
  bare: Call;
  sdk: Call;
  goal: Goal | undefined;
}

const body = { message: 'Where is my order 5512?' };

/** Calls of the service. */
export function serviceComparisons({ agentHosting }: typeof Sdk, baseUrl: string) {
  const comparison =
    (title: string, bare: typeof bareGet, sdk: (client: Sdk.AgentHosting, agent: string) => Call) =>
    (agent: string, apiKey: string): Comparison => ({
      title: `${title}, the service`,
      bare: bare(baseUrl, agent, apiKey),
      sdk: sdk(agentHosting({ apiKey, baseUrl }), agent),
      goal: targets.sdk,
    });
  return [
    comparison('agents.get', bareGet, (client, agent) => () => client.agents.get(agent)),
    comparison(
      'agents.invoke',
      barePost,
      (client, agent) => () => client.agents.invoke(agent, body),
    ),
  ];
}

/** Calls of a server that does nothing: the largest share that the SDK can have in a call. */
export function bareServerComparisons(
  { agentHosting, createClient }: typeof Sdk,
  baseUrl: string,
): Comparison[] {
  const apiKey = 'key';
  const agent = 'echo';
  const fluent = agentHosting({ apiKey, baseUrl });
  const plain = createClient({ apiKey, baseUrl });
  const generic = createFetchClient<Sdk.paths>({ baseUrl, headers: headersWith(apiKey) });
  const params = { path: { agent_id: agent } };
  const get = () => fluent.agents.get(agent);
  const bare = bareGet(baseUrl, agent, apiKey);
  const timed = bareGet(baseUrl, agent, apiKey, () => AbortSignal.timeout(90_000));
  return [
    { title: 'agents.get, bare server', bare, sdk: get },
    { title: 'agents.get, fetch with time-out', bare: timed, sdk: get },
    {
      title: 'agents.invoke, bare server',
      bare: barePost(baseUrl, agent, apiKey),
      sdk: () => fluent.agents.invoke(agent, body),
    },
    {
      title: 'createClient, bare server',
      bare,
      sdk: () => plain.GET('/v1/agents/{agent_id}', { params }),
    },
    {
      title: 'openapi-fetch, bare server',
      bare,
      sdk: () => generic.GET('/v1/agents/{agent_id}', { params }),
    },
  ].map((comparison) => ({ ...comparison, goal: undefined }));
}

function bareGet(
  baseUrl: string,
  agent: string,
  apiKey: string,
  signal: () => AbortSignal | null = () => null,
): Call {
  const url = baseUrl + operations.getAgent.path.replace('{agent_id}', agent);
  return async () => dataOf(await fetch(url, { headers: headersWith(apiKey), signal: signal() }));
}

function barePost(baseUrl: string, agent: string, apiKey: string): Call {
  const url = baseUrl + operations.invokeAgent.path.replace('{agent_id}', agent);
  return async () =>
    dataOf(
      await fetch(url, {
        method: 'POST',
        headers: {
          ...headersWith(apiKey),
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify(body),
      }),
    );
}

const headersWith = (apiKey: string) => ({
  authorization: `Bearer ${apiKey}`,
  accept: 'application/json',
});

async function dataOf(response: Response): Promise<unknown> {
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`The status is ${response.status}.`);
  return Object(body) === body ? Reflect.get(body as object, 'data') : body;
}
