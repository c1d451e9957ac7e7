/** The calls that are compared: each through the SDK, and as a person writes it without one. */
import { randomUUID } from 'node:crypto';
import createFetchClient from 'openapi-fetch';
import type * as Sdk from '../../../client/src/index.js';
import { operations } from '../../../generated/operations.js';

export type Call = () => Promise<unknown>;

export interface Contest {
  title: string;
  bare: Call;
  sdk: Call;
  target: number | undefined;
}

const target = 1.1;
const body = { message: 'Where is my order 5512?' };

/** With the service at the other end, as every call has. */
export function contestsAtService({ agentHosting }: typeof Sdk, baseUrl: string) {
  const contest =
    (title: string, bare: typeof bareGet, sdk: (client: Sdk.AgentHosting, agent: string) => Call) =>
    (agent: string, apiKey: string): Contest => ({
      title: `${title}, the service`,
      bare: bare(baseUrl, agent, apiKey),
      sdk: sdk(agentHosting({ apiKey, baseUrl }), agent),
      target,
    });
  return [
    contest('agents.get', bareGet, (client, agent) => () => client.agents.get(agent)),
    contest('agents.invoke', barePost, (client, agent) => () => client.agents.invoke(agent, body)),
  ];
}

/** With nothing at the other end: the most that the SDK can add to a call. */
export function contestsAtNothing(
  { agentHosting, createClient }: typeof Sdk,
  baseUrl: string,
): Contest[] {
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
    { title: 'agents.get, a server of nothing', bare, sdk: get },
    { title: 'the same, bare with a time-out too', bare: timed, sdk: get },
    {
      title: 'agents.invoke, a server of nothing',
      bare: barePost(baseUrl, agent, apiKey),
      sdk: () => fluent.agents.invoke(agent, body),
    },
    {
      title: 'createClient, a server of nothing',
      bare,
      sdk: () => plain.GET('/v1/agents/{agent_id}', { params }),
    },
    {
      title: 'openapi-fetch, a server of nothing',
      bare,
      sdk: () => generic.GET('/v1/agents/{agent_id}', { params }),
    },
  ].map((contest) => ({ ...contest, target: undefined }));
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
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`The answer is ${response.status}.`);
  return Object(answer) === answer ? Reflect.get(answer as object, 'data') : answer;
}
