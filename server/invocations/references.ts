/**
 * What an agent's tools get of the request that runs it. It is taken when the run begins and stays for the whole run, also if another request
 * goes on with it: arguments are approved as they were shown. Only the caller's token may be a fresh one.
 */
import type { FieldProblem } from '../../generated/api.js';
import type { ActiveAgent } from '../agents/configurations.js';
import { invalid } from '../contract/errors.js';
import { callerToken, referencesIn, resolveReferences } from '../models/tools/references.js';
import type { ReferenceValues } from '../models/tools/tool.js';
import type { Failure, InvocationInput } from './invocation.js';

const tokenHeader = 'X-Tool-Authorization';

/** What a request brings as `${caller.token}`. */
export interface RequestToken {
  /** The value of its `X-Tool-Authorization`. */
  sent: string | undefined;
  /** The caller's own token, verified; undefined for an API key. */
  own: string | undefined;
}

/** Its own tools do, or those of agents that it asks may. */
function usesCallerToken({ options: { tools } }: Pick<ActiveAgent, 'options'>): boolean {
  return (
    asksAgents(tools) || referencesIn(tools).some(({ reference }) => reference === callerToken)
  );
}

const asksAgents = (tools: ActiveAgent['options']['tools']) => (tools?.agents ?? []).length > 0;

/** Throws a 400 that names what the tools need and the request lacks. */
export function beginReferences(invocation: InvocationInput, token: RequestToken): ReferenceValues {
  const { values, problems } = resolve(invocation, valueOfToken(invocation.agent, token));
  const [first, ...others] = problems;
  if (first) throw invalid(first, ...others);
  return values;
}

/** Of a run that goes on. `began` is what it began with; undefined if no tool needed anything then. */
export function continueReferences(
  invocation: InvocationInput,
  began: ReferenceValues | undefined,
  token: RequestToken,
): ReferenceValues {
  if (!began) return beginReferences(invocation, token);
  const { agent } = invocation;
  const fresh = valueOfToken(agent, token);
  // Also if the run began without one: agents that it asks may need it.
  return fresh !== undefined && usesCallerToken(agent) ? { ...began, [callerToken]: fresh } : began;
}

/** Of an invocation that a worker runs, whose request is gone. `began` is as above. */
export function queuedReferences(
  invocation: InvocationInput,
  began: ReferenceValues | undefined,
): { references: ReferenceValues; failure?: Failure } {
  if (began) return { references: began };
  const { references, lacking } = lackingReferences(invocation, undefined);
  if (lacking === '') return { references };
  const failure: Failure = {
    code: 'invalid_request',
    message: `The tools of the agent lack what they need of the request: ${lacking}.`.slice(
      0,
      1_000,
    ),
    retryable: false,
    reason: `the request lacks what tools need: ${lacking}`,
  };
  return { references, failure };
}

/**
 * Of an agent that another one asks, whose caller's token it gets. Also if none of its tools do, because one may return what a tool of the
 * other agent has passed on.
 */
export function askedReferences(
  invocation: InvocationInput,
  { [callerToken]: token }: ReferenceValues,
): { references: ReferenceValues; lacking: string } {
  if (typeof token !== 'string') return lackingReferences(invocation, undefined);
  const { references, lacking } = lackingReferences(invocation, token);
  return { references: { ...references, [callerToken]: token }, lacking };
}

/** `lacking` says what the tools need and the request does not have; empty if that is nothing. */
function lackingReferences(invocation: InvocationInput, token: string | undefined) {
  const { values: references, problems } = resolve(invocation, token);
  const lacking = problems.map(({ field, error }) => `${field} ${error}`).join('; ');
  return { references, lacking };
}

/** Throws a 400 for a token that nothing would use: its sender expects it to have an effect. */
function valueOfToken(agent: ActiveAgent, { sent, own }: RequestToken): string | undefined {
  if (sent !== undefined && !usesCallerToken(agent)) {
    const error = `must be left out: no tool of '${agent.name}' has \${caller.token} in its headers`;
    throw invalid({ field: tokenHeader, error });
  }
  return sent ?? (own === undefined ? undefined : `Bearer ${own}`);
}

function resolve(
  { id, agent, context }: InvocationInput,
  token: string | undefined,
): { values: ReferenceValues; problems: FieldProblem[] } {
  const ofContext = Object.entries(context ?? {}).map(
    ([key, value]) => [`context.${key}`, value] as const,
  );
  const { tools } = agent.options;
  const { values, problems } = resolveReferences(tools, {
    ...Object.fromEntries(ofContext),
    'request.id': id,
    'agent.name': agent.name,
    [callerToken]: token,
  });
  return {
    values: asksAgents(tools) && token !== undefined ? { ...values, [callerToken]: token } : values,
    problems: problems.map(({ reference, problem: error }) =>
      reference === callerToken
        ? { field: tokenHeader, error: `${error}, and the caller has no token of its own` }
        : { field: reference, error },
    ),
  };
}
