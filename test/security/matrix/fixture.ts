/** Fixture of the security matrix: accounts with agents, and what a user told each agent in confidence. */
import { randomBytes } from 'node:crypto';
import { createAuthority } from '../../helpers/crypto/certificates.js';
import { createFiles } from '../../helpers/programs/files.js';
import {
  clientId,
  type OAuthProvider,
  startProvider,
} from '../../helpers/servers/oauth-provider.js';
import { insertWebhook } from '../../helpers/database/rows.js';
import { startTestService, type Tenant, type TestService } from '../../helpers/service/service.js';
import { type Names, createResources } from '../../helpers/service/valid-call.js';
import {
  replyTo,
  startModelProvider as startModel,
} from '../../helpers/model-provider/provider.js';
import { refusal } from '../../helpers/model-provider/failures.js';
import { answer, chatCompletions } from '../../helpers/model-provider/wire-formats.js';
import { newId } from '../../../server/lib/data/typeid.js';
import { insertLogEntries } from '../../../server/logs/logs.js';
import { insertSchedule } from '../../schedules/due-schedules.js';
import type { Location } from './expected.js';

export interface Resources extends Location {
  /** Ids by parameter or field name. The user and the session belong to the user who talked to the agent. */
  names: Names;
  /** Strings that must not appear in the response to a caller who cannot see these resources. */
  confidential: string[];
  /** The subset that belongs to one user. The same user and session ids may exist at other agents. */
  personal: string[];
}

/** Account and policy of each agent. */
export const agentKinds = [
  'acme/jwt',
  'acme/oauth2',
  'acme/plain',
  'rival/jwt',
  'closed/jwt',
] as const;
export type AgentKind = (typeof agentKinds)[number];

export interface MatrixFixture {
  service: TestService;
  oauth: OAuthProvider;
  accounts: Record<string, Tenant>;
  resources: Record<AgentKind, Resources>;
  /** The webhook and key that belong to the account instead of an agent. */
  wholeAccount: Resources;
  /** Well-formed ids of resources that do not exist. */
  missing: Resources;
  /** Creates another agent of the kind, optionally with a conversation. */
  newResources: (kind: AgentKind, hasUser: boolean) => Promise<Resources>;
  stop: () => Promise<void>;
}

/** JWT secret of each kind of agent. */
export const secretOf = (kind: AgentKind) => `the secret of ${kind}, which has at least 32 bytes`;
/** A role defined by a manifest, in addition to those of the contract. */
export const customRole = { auditor: ['read', 'delete'] as const };
export const acceptedRoles = ['admin', 'developer', 'viewer', 'auditor'];
/** The user who talked to the agents. */
export const ann = 'ann@example.com';
export const session = 'session-of-ann';
/** A message that contains it is rejected by the model, with an error that quotes the message. */
const rejected = 'rejected parcel';
/** Request id for agents without a conversation. */
const noRequest = 'req_01m6dsg7e0eha8ks12y199e68y';

export async function createMatrixFixture(): Promise<MatrixFixture> {
  const [oauth, model, policies] = await Promise.all([
    startProvider(),
    startModel(),
    policyMaker(),
  ]);
  // The model echoes its whole prompt, so that a response shows whose history was sent.
  model.behave(
    replyTo((_prompt, { body }) => {
      const { messages } = body as { messages: { content: string }[] };
      const asked = messages.at(-1)?.content ?? '';
      return asked.includes(rejected)
        ? refusal(400, { error: { message: asked } })
        : answer(chatCompletions, [JSON.stringify(body)]);
    }),
  );
  const service = await startTestService({
    WORKER: 'off',
    ALLOW_PRIVATE_TARGETS: 'true',
    LOCAL_BASE_URL: `${model.url}/v1`,
    // The contract's examples name this provider.
    ANTHROPIC_API_KEY: 'not used',
    // Every call claims a different address, because failed authentication is limited per address.
    TRUST_PROXY: '127.0.0.1',
  });
  const accounts: Record<string, Tenant> = {};
  for (const kind of agentKinds) accounts[accountOf(kind)] ??= await service.tenant();

  const newResources: MatrixFixture['newResources'] = async (kind, hasUser) => {
    const tenant = accounts[accountOf(kind)];
    if (!tenant) throw new Error(`There is no account for ${kind}.`);
    const name = `bot-${randomBytes(8).toString('hex')}`;
    const policy = policies(kind, oauth.url);
    const newAgent = () => tenant.newAgent({ name, policy, model: 'local/llama3.2' });
    const things: Names = {
      ...(await createResources(service, { ...tenant, newAgent })),
      agent_name: name,
    };
    const agent = things['agent_id'] ?? '';
    // The active deployment would run the model that deployments have by default.
    await service.database.prisma.deployment.updateMany({
      where: { agentId: agent },
      data: { model: 'local/llama3.2' },
    });
    const said = hasUser ? await sendSecret(tenant, agent) : { names: {}, secrets: [] };
    const owner = { accountId: tenant.accountId, agentId: agent };
    const left = [...(await scheduleSecret(service, owner)), ...(await askSecret(service, owner))];
    return {
      account: accountOf(kind),
      agent,
      isClosed: isClosed(kind),
      names: { user_id: ann, session_id: session, request_id: noRequest, ...things, ...said.names },
      confidential: [...Object.values({ ...things, ...said.names }), ...said.secrets, ...left],
      personal: [...said.secrets, ...left, ann, session],
    };
  };
  const resources = Object.fromEntries(
    await Promise.all(
      // An agent that rejects every request cannot have a conversation.
      agentKinds.map(async (kind) => [kind, await newResources(kind, !isClosed(kind))] as const),
    ),
  ) as Record<AgentKind, Resources>;

  return {
    service,
    oauth,
    accounts,
    resources,
    wholeAccount: await wholeAccountOf(service, accounts['acme'], resources['acme/plain']),
    missing: missingLike(resources['acme/plain']),
    newResources,
    stop: async () => {
      await service.stop();
      await Promise.all([oauth.close(), model.stop()]);
    },
  };
}

const accountOf = (kind: AgentKind) => kind.split('/')[0] ?? '';
const isClosed = (kind: AgentKind) => accountOf(kind) === 'closed';

/** Sends the agent two secrets of Ann. The model answers the first, and quotes the second in its error. */
async function sendSecret({ api }: Tenant, agent_id: string) {
  const [secret, failed] = ['parcel', rejected].map(
    (what) => `${what} ${randomBytes(8).toString('hex')}`,
  ) as [string, string];
  const context = { user_id: ann, session_id: session };
  const call = (message: string) => ({ path: { agent_id }, body: { message, context } });
  const { data } = await api.expect('invokeAgent', 200, call(secret));
  await api.expect('invokeAgent', 502, call(failed));
  return { names: { request_id: data.request_id }, secrets: [secret, failed] };
}

/** Gives the agent a schedule that acts for Ann. It is paused, so that it changes nothing. */
async function scheduleSecret(
  { database }: TestService,
  agent: { accountId: string; agentId: string },
): Promise<string[]> {
  const [message, note] = [0, 1].map(() => `scheduled ${randomBytes(8).toString('hex')}`) as [
    string,
    string,
  ];
  const context = { user_id: ann, note };
  await insertSchedule(database, agent, { message, context, nextAt: null });
  return [message, note];
}

/** The agent has asked another one on behalf of Ann. */
async function askSecret(
  { database }: TestService,
  agent: { accountId: string; agentId: string },
): Promise<string[]> {
  const [asked, child] = [`asked ${randomBytes(8).toString('hex')}`, newId('agent')];
  const metadata = { arguments: asked, child_agent_id: child, user_id: ann };
  const entry = { id: newId('log'), level: 'info', message: 'Tool ask_expert called' } as const;
  const requestId = newId('req');
  const at = new Date();
  await database.transaction((transaction) =>
    insertLogEntries(transaction, [{ ...agent, ...entry, at, requestId, metadata }]),
  );
  return [asked, child];
}

/** Resources of the account that a key limited to one agent cannot see. */
async function wholeAccountOf(
  { database }: TestService,
  tenant: Tenant | undefined,
  other: Resources,
): Promise<Resources> {
  if (!tenant) throw new Error('There is no account.');
  const own = {
    webhook_id: await insertWebhook(database, tenant.accountId),
    key_id: (await tenant.newKey()).id,
  };
  return {
    ...other,
    agent: 'none',
    names: { ...other.names, ...own },
    confidential: Object.values(own),
    personal: [],
  };
}

function missingLike({ names }: Resources): Resources {
  const other = (id: string) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
  const nothing = Object.entries(names).map(([name, id]) => [name, other(id)]);
  return {
    account: 'none',
    agent: 'none',
    names: Object.fromEntries(nothing) as Names,
    confidential: [],
    personal: [],
  };
}

/** The security settings of each kind of agent. */
async function policyMaker(): Promise<(kind: AgentKind, issuer: string) => object> {
  const files = await createFiles();
  const caCert = await files.write('ca.pem', createAuthority('Clients').cert);
  const written = await Promise.all(
    agentKinds.map(async (kind) => {
      const file = await files.write(kind.replace('/', '-'), secretOf(kind));
      return [kind, `\${file:${file}}`] as const;
    }),
  );
  const secrets = new Map(written);
  /** Every setting is on, and plain HTTP is rejected. */
  const closed = {
    security: {
      enforceHttps: true,
      hsts: { enabled: true, maxAge: 60 },
      ipWhitelist: { enabled: true, addresses: ['203.0.113.7'] },
      mtls: { enabled: true, caCert },
      rateLimit: { enabled: true, requests: 1, window: '1d' },
    },
    mfa: { enabled: true, operations: ['update', 'delete'] },
  };
  return (kind, issuer) => {
    const common = { roles: customRole, ...(isClosed(kind) && closed) };
    if (kind.endsWith('plain')) return common;
    const auth = kind.endsWith('oauth2')
      ? { type: 'oauth2', provider: issuer, clientId }
      : { type: 'jwt', secret: secrets.get(kind) };
    return { ...common, auth: { ...auth, roles: acceptedRoles } };
  };
}
