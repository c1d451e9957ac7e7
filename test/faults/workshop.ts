/**
 * A scripted model and the API of its tools. They compare what they see of each run, whatever happens to the instances that run it: what
 * is made once, what the model is told of it, and that neither changes afterwards.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startModelProvider } from '../helpers/model-provider/provider.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { answer, callTools, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import type { Environment } from '../helpers/service/service.js';

/** `make` must not be repeated, `look` is a GET, `remake` may be repeated; the others are the same with approval. */
export const toolNames = ['make', 'look', 'remake', 'order', 'reorder'] as const;
export type ToolName = (typeof toolNames)[number];

/** What happens to the calls of a run that wait for approval. */
export type Fate = 'approve' | 'reject' | 'expire';

export interface PlannedRun {
  /** The calls of each of the model's replies; afterwards it answers. */
  steps: readonly (readonly ToolName[])[];
  fate?: Fate;
  /** How long the model and each call take. */
  pauseMs?: number;
}

export interface WorkshopRun {
  id: string;
  /** With which the run begins. */
  message: string;
  plan: PlannedRun;
  /** Checks all of it after the answer. */
  finish: (response: string) => void;
  /** How often each call was made, those of all steps in order. */
  timesMade: () => number[];
}

export interface Workshop {
  /** The variables of an instance. */
  environment: Environment;
  /** One that has these tools. */
  agent: { model: string; timeoutMs: number; options: { tools: ReturnType<typeof toolsAt> } };
  open: (plan: PlannedRun) => WorkshopRun;
  /** The requests to the model and the calls so far. */
  arrivals: () => number;
  /** Calls stay without an answer, or so do requests to the model, until it is over. */
  hold: (what: 'calls' | 'model' | undefined) => void;
  /** How many of them wait. */
  waiting: () => number;
  /** What must not have happened since the last call, and did. */
  takeViolations: () => string[];
  stop: () => Promise<void>;
}

/** A call in its place in the run, and the number of the request to the model that asked for it, all as text. */
interface CallArguments {
  run: string;
  step: string;
  index: string;
  asked: string;
}

interface Made {
  times: number;
  keys: Set<string>;
}

interface Run extends WorkshopRun {
  /** By place. */
  made: Map<string, Made>;
  /** The results of each step, by the number of the request to the model that had them. */
  seen: string[][][];
  /** The results that cannot change any more. */
  settled: string[][];
}

const mayBeRepeated = (tool: ToolName | undefined) =>
  tool === 'look' || tool === 'remake' || tool === 'reorder';
const needsApproval = (tool: ToolName | undefined) => tool === 'order' || tool === 'reorder';

const effectUnknown = 'Its effect is unknown';
const wasRejected = 'a person rejected it';

export async function startWorkshop(): Promise<Workshop> {
  const runs = new Map<string, Run>();
  const violations: string[] = [];
  let arrivals = 0;
  let held: 'calls' | 'model' | undefined;
  let letGo = () => {};
  let released = Promise.resolve();
  let waiting = 0;

  const respondAfter = async (what: 'calls' | 'model', { plan }: Run) => {
    arrivals += 1;
    await delay(plan.pauseMs ?? 0);
    if (held !== what) return;
    waiting += 1;
    await released;
  };

  /** The run went on with what this request to the model had, so this is what was committed. */
  const settle = (run: Run, asked: number) => {
    for (const [step, results] of (run.seen[asked] ?? []).entries()) {
      const before = (run.settled[step] ??= results);
      if (String(before) !== String(results)) {
        violations.push(`${run.id}: step ${step} was ${String(before)}, and is ${String(results)}`);
      }
    }
  };

  const call = (tool: ToolName, key: string, args: CallArguments): [Run, result: string] => {
    const run = runs.get(args.run);
    if (!run) throw new Error(`There is no run ${args.run}.`);
    const { steps, fate } = run.plan;
    const place = `${args.step}.${args.index}`;
    const made = run.made.get(place) ?? { times: 0, keys: new Set() };
    run.made.set(place, made);
    made.times += 1;
    made.keys.add(key);
    const number = steps.slice(0, Number(args.step)).flat().length + Number(args.index) + 1;
    const complain = (problem: string) => violations.push(`${run.id} ${place} ${tool}: ${problem}`);
    if (steps[Number(args.step)]?.[Number(args.index)] !== tool) complain('is another tool');
    if (made.keys.size > 1) complain(`has several keys: ${[...made.keys].join(', ')}`);
    if (!new RegExp(`^req_\\w+\\.call_${number}$`).test(key)) complain(`has the key ${key}`);
    if (made.times > 1 && !mayBeRepeated(tool)) complain('was made again');
    if (needsApproval(tool) && fate !== 'approve') complain('was made without approval');
    settle(run, Number(args.asked));
    return [run, tokenOf(run, place, made.times)];
  };

  const tools = await startHttpServer((req, res) => {
    res.on('error', () => undefined);
    void (async () => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost');
      const args = await argumentsOf(req, searchParams);
      const tool = toolNames.find((name) => pathname === `/${name}`);
      if (!tool) throw new Error(`There is no tool ${pathname}.`);
      const [run, result] = call(tool, String(req.headers['idempotency-key']), args);
      await respondAfter('calls', run);
      res.end(result);
    })().catch((error: unknown) => {
      violations.push(String(error));
      res.writeHead(500).end();
    });
  });

  const think: Behaviour = async (res, { body }) => {
    const { messages } = body as { messages: Message[] };
    const [, id = ''] = /#(\S+)#/.exec(String(messages.find(isOfUser)?.content)) ?? [];
    const run = runs.get(id);
    if (!run) {
      violations.push(`The model was asked for an unknown run: ${JSON.stringify(messages)}`);
      answer(chatCompletions, ['Who?'])(res);
      return;
    }
    const seen = resultsIn(messages);
    const asked = run.seen.push(seen) - 1;
    const { steps } = run.plan;
    const step = seen.length;
    await respondAfter('model', run);
    const next = steps[step];
    if (!next) {
      answer(chatCompletions, [`Done ${asked}.`])(res);
      return;
    }
    const calls = next.map((name, index) => ({
      id: `c${step}x${index}`,
      name,
      arguments: { run: id, ...textsOf({ step, index, asked }) },
    }));
    callTools(calls, [textOfStep(step)])(res);
  };

  const provider = await startModelProvider();
  provider.behave(think);

  const finish = (run: Run, response: string) => {
    const { steps, fate } = run.plan;
    const complain = (problem: string) => violations.push(`${run.id}: ${problem}`);
    // The response of the invocation that went on after the last decision begins there.
    const first = steps.findLastIndex((tools) => tools.some(needsApproval)) + 1;
    const texts = steps.map((_, step) => textOfStep(step)).slice(first);
    const [, asked] = /Done (\d+)\.$/.exec(response) ?? [];
    if (response !== [...texts, `Done ${asked}.`].join('\n\n')) complain(`answered ${response}`);
    settle(run, Number(asked));
    for (const [step, planned] of steps.entries()) {
      for (const [index, tool] of planned.entries()) {
        const place = `${step}.${index}`;
        const { times } = run.made.get(place) ?? { times: 0 };
        const result = run.settled[step]?.[index] ?? 'missing';
        const isRejected = needsApproval(tool) && fate === 'reject';
        const isMade = times > 0 && result.includes(tokenOf(run, place));
        const isUnknown = !mayBeRepeated(tool) && result.includes(effectUnknown);
        const isAsPlanned = isRejected ? result.includes(wasRejected) : isMade || isUnknown;
        if (!isAsPlanned) complain(`${place} ${tool} was made ${times} times: ${result}`);
      }
    }
  };

  return {
    environment: { LOCAL_BASE_URL: `${provider.url}/v1`, ALLOW_PRIVATE_TARGETS: 'true' },
    agent: {
      model: 'local/llama3.2',
      timeoutMs: patienceMs,
      options: { tools: toolsAt(tools.url) },
    },
    open: (plan) => {
      const id = randomUUID().slice(0, 8);
      const run: Run = {
        id,
        message: `Work on #${id}#.`,
        plan,
        made: new Map(),
        seen: [],
        settled: [],
        finish: (response) => {
          finish(run, response);
        },
        timesMade: () =>
          plan.steps.flatMap((planned, step) =>
            planned.map((_, index) => run.made.get(`${step}.${index}`)?.times ?? 0),
          ),
      };
      runs.set(id, run);
      return run;
    },
    arrivals: () => arrivals,
    waiting: () => waiting,
    hold: (what) => {
      letGo();
      held = what;
      waiting = 0;
      released = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    takeViolations: () => {
      const invalid = provider.invalid.splice(0).map(({ rejection }) => rejection.message);
      return [...violations.splice(0), ...invalid];
    },
    stop: async () => {
      letGo();
      await Promise.all([provider.stop(), tools.stop()]);
    },
  };
}

/** No run ends because the machine is slow. */
const patienceMs = 15 * 60_000;

function toolsAt(url: string) {
  const names = ['run', 'step', 'index', 'asked'];
  const parameters = {
    type: 'object' as const,
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  };
  const http = toolNames.map((name) => ({
    name,
    description: 'Does a part of the work.',
    method: name === 'look' ? ('GET' as const) : ('POST' as const),
    url: `${url}/${name}`,
    parameters,
    timeout: `${patienceMs / 1000}s`,
    ...(name === 'remake' || name === 'reorder' ? { repeat: true } : {}),
    ...(needsApproval(name) ? { approval: 'caller' as const } : {}),
  }));
  return { maxSteps: 100, log: 'arguments' as const, http };
}

/** Part of the result of a call. With `times`, a single request's. */
const tokenOf = ({ id }: Run, place: string, times?: number) =>
  `<${id} ${place} made${times === undefined ? '' : ` ${times}>`}`;

const textOfStep = (step: number) => `Step ${step + 1}.`;

const textsOf = (numbers: Record<string, number>) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));

async function argumentsOf(req: IncomingMessage, query: URLSearchParams): Promise<CallArguments> {
  const body = await text(req);
  return (body === '' ? Object.fromEntries(query) : JSON.parse(body)) as CallArguments;
}

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}

const isOfUser = ({ role }: Message) => role === 'user';

/** The results of each reply's calls. */
function resultsIn(messages: readonly Message[]): string[][] {
  const results = new Map(
    messages.map(({ tool_call_id, content }) => [tool_call_id, String(content)]),
  );
  return messages.flatMap(({ tool_calls }) =>
    tool_calls ? [tool_calls.map(({ id }) => results.get(id) ?? 'none')] : [],
  );
}
