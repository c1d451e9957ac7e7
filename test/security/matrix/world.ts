/** What the matrix is about: accounts, their agents, and what a user said to each of them in confidence. */
import { randomBytes } from 'node:crypto';
import { createAuthority } from '../../helpers/certificates.js';
import { createFiles } from '../../helpers/files.js';
import { clientId, type OAuthProvider, startProvider } from '../../helpers/oauth-provider.js';
import { insertWebhook } from '../../helpers/rows.js';
import { startTestService, type Tenant, type TestService } from '../../helpers/service.js';
import { type Names, thingsOf } from '../../helpers/valid-call.js';
import { startProvider as startModel } from '../../runtime/provider-server.js';
import { answer, chatCompletions } from '../../runtime/wire-formats.js';
import type { Location } from './expected.js';

export interface Place extends Location {
  /** By the names of parameters and fields. The user and the session are those of whoever talked to the agent. */
  names: Names;
  /** What only those may see who may see the place. */
  marks: string[];
  /** What of it is of one user, who may have the same id and sessions elsewhere. */
  personalMarks: string[];
}

/** The agents that there are, by their accounts. */
export const kinds = ['acme/jwt', 'acme/oauth2', 'acme/plain', 'rival/jwt', 'closed/jwt'] as const;
export type Kind = (typeof kinds)[number];

export interface World {
  service: TestService;
  oauth: OAuthProvider;
  accounts: Record<string, Tenant>;
  places: Record<Kind, Place>;
  /** Webhook and key of the whole account. */
  wholeAccount: Place;
  /** Nothing of it exists. */
  nowhere: Place;
  /** Another agent of the kind, to which a user has said something or not. */
  newPlace: (kind: Kind, hasUser: boolean) => Promise<Place>;
  stop: () => Promise<void>;
}

/** Of the JWTs of each kind of agent. */
export const secretOf = (kind: Kind) => `the secret of ${kind}, which has at least 32 bytes`;
/** A role that a manifest makes, beside those of the contract. */
export const auditor = { auditor: ['read', 'delete'] as const };
export const acceptedRoles = ['admin', 'developer', 'viewer', 'auditor'];
/** Whose conversations the places hold. */
export const ann = 'ann@example.com';
export const session = 'session-of-ann';
/** Of agents that were never told anything. */
const noRequest = 'req_01m6dsg7e0eha8ks12y199e68y';

export async function createWorld(): Promise<World> {
  const [oauth, model, policies] = await Promise.all([
    startProvider(),
    startModel(),
    policyMaker(),
  ]);
  // It answers with all that it was told, so that an answer shows whose history went to the model.
  model.behave((res, { body }) => {
    answer(chatCompletions, [JSON.stringify(body)])(res);
  });
  const service = await startTestService({
    WORKER: 'off',
    ALLOW_PRIVATE_TARGETS: 'true',
    LOCAL_BASE_URL: `${model.url}/v1`,
    // The contract's examples name this provider.
    ANTHROPIC_API_KEY: 'not used',
    // Each call says that it comes from another address: failed authentication is limited by it.
    TRUST_PROXY: '127.0.0.1',
  });
  const accounts: Record<string, Tenant> = {};
  for (const kind of kinds) accounts[accountOf(kind)] ??= await service.tenant();

  const newPlace: World['newPlace'] = async (kind, hasUser) => {
    const tenant = accounts[accountOf(kind)];
    if (!tenant) throw new Error(`There is no account for ${kind}.`);
    const name = `bot-${randomBytes(8).toString('hex')}`;
    const policy = policies(kind, oauth.url);
    const newAgent = () => tenant.newAgent({ name, policy, model: 'local/llama3.2' });
    const things: Names = {
      ...(await thingsOf(service, { ...tenant, newAgent })),
      agent_name: name,
    };
    const agent = things['agent_id'] ?? '';
    const said = hasUser ? await confide(tenant, agent) : { names: {}, secrets: [] };
    return {
      account: accountOf(kind),
      agent,
      isClosed: isClosed(kind),
      names: { user_id: ann, session_id: session, request_id: noRequest, ...things, ...said.names },
      marks: [...Object.values({ ...things, ...said.names }), ...said.secrets],
      personalMarks: [...said.secrets, ann, session],
    };
  };
  const places = Object.fromEntries(
    await Promise.all(
      // An agent that takes no request cannot be told anything.
      kinds.map(async (kind) => [kind, await newPlace(kind, !isClosed(kind))] as const),
    ),
  ) as Record<Kind, Place>;

  return {
    service,
    oauth,
    accounts,
    places,
    wholeAccount: await wholeAccountOf(service, accounts['acme'], places['acme/plain']),
    nowhere: nowhereLike(places['acme/plain']),
    newPlace,
    stop: async () => {
      await service.stop();
      await Promise.all([oauth.close(), model.stop()]);
    },
  };
}

const accountOf = (kind: Kind) => kind.split('/')[0] ?? '';
const isClosed = (kind: Kind) => accountOf(kind) === 'closed';

/** Tells the agent something that is Ann's alone. */
async function confide({ api }: Tenant, agent_id: string) {
  const secret = `parcel ${randomBytes(8).toString('hex')}`;
  const context = { user_id: ann, session_id: session };
  const { data } = await api.expect('invokeAgent', 200, {
    path: { agent_id },
    body: { message: secret, context },
  });
  return { names: { request_id: data.request_id }, secrets: [secret] };
}

/** What lies beside the agents of an account, for which a key of one agent is not enough. */
async function wholeAccountOf(
  { database }: TestService,
  tenant: Tenant | undefined,
  beside: Place,
): Promise<Place> {
  if (!tenant) throw new Error('There is no account.');
  const own = {
    webhook_id: await insertWebhook(database, tenant.accountId),
    key_id: (await tenant.newKey()).id,
  };
  return {
    ...beside,
    agent: 'none',
    names: { ...beside.names, ...own },
    marks: Object.values(own),
    personalMarks: [],
  };
}

function nowhereLike({ names }: Place): Place {
  const other = (id: string) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
  const nothing = Object.entries(names).map(([name, id]) => [name, other(id)]);
  return {
    account: 'none',
    agent: 'none',
    names: Object.fromEntries(nothing) as Names,
    marks: [],
    personalMarks: [],
  };
}

/** The security settings of each kind of agent. */
async function policyMaker(): Promise<(kind: Kind, issuer: string) => object> {
  const files = await createFiles();
  const caCert = await files.write('ca.pem', createAuthority('Clients').cert);
  const written = await Promise.all(
    kinds.map(async (kind) => {
      const file = await files.write(kind.replace('/', '-'), secretOf(kind));
      return [kind, `\${file:${file}}`] as const;
    }),
  );
  const secrets = new Map(written);
  /** Every setting on, and nothing is taken over plain http. */
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
    const common = { roles: auditor, ...(isClosed(kind) && closed) };
    if (kind.endsWith('plain')) return common;
    const auth = kind.endsWith('oauth2')
      ? { type: 'oauth2', provider: issuer, clientId }
      : { type: 'jwt', secret: secrets.get(kind) };
    return { ...common, auth: { ...auth, roles: acceptedRoles } };
  };
}
