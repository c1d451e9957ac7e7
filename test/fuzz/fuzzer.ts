/** The fuzzer: valid and invalid requests to each operation, and sequences of operations checked against the model. */
import fc from 'fast-check';
import type { TestService } from '../helpers/service/service.js';
import { openAccount } from './account.js';
import { type Operation, operations } from './contract.js';
import { edgesOf } from './edges.js';
import { type Transport, transportTo } from './http.js';
import { type Runner, sendAll, sendInvalid, type Step } from './send.js';
import { type Failure, search } from './search.js';
import { repeatsOf, sequencesOf } from './sequences.js';
import { replenish, seedAccount } from './seed.js';
import { minimal, validTemplates, withCallers } from './template.js';
import { violationsOf } from './violations/violations.js';

export interface FuzzOptions {
  seed: number;
  /** Cases for each operation. */
  cases: number;
  sequences: number;
}

export interface Row {
  operationId: string;
  /** The number of valid and invalid requests. */
  valid: number;
  invalid: number;
  /** The number of limits reached and of keywords violated. */
  kinds: number;
  failures: Failure[];
}

interface Run {
  service: TestService;
  options: FuzzOptions;
  send: Transport;
  /** One account for all read-only operations. */
  library?: Promise<Runner>;
}

export async function fuzz(service: TestService, options: FuzzOptions): Promise<Row[]> {
  const send = transportTo(service.url);
  const run: Run = { service, options, send };
  try {
    const jobs = operations.map((operation) => () => fuzzOperation(run, operation));
    return await inParallel([...jobs, () => fuzzSequences(run)]);
  } finally {
    send.close();
  }
}

function emptyRow(operationId: string): Row {
  return { operationId, valid: 0, invalid: 0, kinds: 0, failures: [] };
}

/** Enough to keep the service busy while leaving capacity for other tests. */
const parallel = 4;

async function inParallel(jobs: (() => Promise<Row>)[]): Promise<Row[]> {
  const rows: Row[] = [];
  const waiting = [...jobs.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) rows[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return rows;
}

interface Trial {
  kind: string;
  values: fc.Arbitrary<Step[]>;
  runs: number;
  act: (runner: Runner, steps: Step[]) => Promise<void>;
}

async function fuzzOperation(run: Run, operation: Operation): Promise<Row> {
  const { operationId } = operation;
  const supplier = await (isReading(operation)
    ? (run.library ??= createSeededRunner(run))
    : createSeededRunner(run));
  const { account } = supplier;
  const runner = async (): Promise<Runner> => {
    await replenish(supplier, operation);
    return { account, send: run.send, sentRequests: [] };
  };
  const trials = trialsOf(operation, run.options.cases);
  const row = emptyRow(operationId);
  row.valid = await tryAll(run, trials.valid, runner, row);
  row.invalid = await tryAll(run, trials.invalid, runner, row);
  return row;
}

function isReading({ method, permission }: Operation): boolean {
  return method === 'GET' || permission === 'read';
}

async function createSeededRunner({ service, send }: Run): Promise<Runner> {
  const account = await openAccount(service, send);
  const runner = { account, send, sentRequests: [] };
  await seedAccount(runner);
  return runner;
}

function trialsOf(operation: Operation, cases: number): Record<'valid' | 'invalid', Trial[]> {
  const { operationId } = operation;
  const templates = validTemplates(operation);
  const minimalTemplates = templates.map(minimal);
  const edges = edgesOf(operation);
  const invalid = violationsOf(operation);
  const single = invalid.filter(({ isSingle }) => isSingle === true).length;
  const forInvalid = share(cases / 2 - single, invalid.length - single);
  const act = sendAll;
  return {
    valid: [
      {
        kind: `${operationId}, valid`,
        values: withCallers(templates).map((template) => [template]),
        runs: Math.ceil(cases / 4),
        act,
      },
      ...repeatsOf(operation).map(({ kind, values }) => ({
        kind,
        values,
        runs: share(cases / 16, 1),
        act,
      })),
      ...edges.map(({ name, values, apply }) => ({
        kind: `${operationId}, ${name}`,
        values: fc
          .tuple(minimalTemplates, values)
          .map(([template, value]) => [apply(template, value)]),
        runs: share(cases / 4, edges.length),
        act,
      })),
    ],
    invalid: invalid.map((violation) => ({
      kind: `${operationId}, ${violation.name}`,
      values: fc
        .tuple(templates, violation.values)
        .map(([template, value]) => [violation.apply(template, value)]),
      runs: violation.isSingle === true ? 1 : forInvalid,
      act: async (runner: Runner, steps: Step[]) => {
        for (const step of steps) {
          if (!('again' in step)) await sendInvalid(runner, step, violation);
        }
      },
    })),
  };
}

/** Each gets at least one case. */
function share(cases: number, among: number): number {
  return Math.max(1, Math.ceil(cases / Math.max(1, among)));
}

/** The number of cases tried. */
async function tryAll(
  run: Run,
  trials: Trial[],
  runner: () => Promise<Runner>,
  row: Row,
): Promise<number> {
  const { seed } = run.options;
  let tried = 0;
  for (const trial of trials) {
    const { requests, failure } = await search({ ...trial, seed, url: run.service.url, runner });
    tried += requests;
    row.kinds += 1;
    if (failure) row.failures.push(failure);
  }
  return tried;
}

/** Each in a separate account. */
async function fuzzSequences(run: Run): Promise<Row> {
  const { seed, sequences } = run.options;
  const row = emptyRow('sequences');
  const runner = async (): Promise<Runner> => ({
    account: await openAccount(run.service, run.send),
    send: run.send,
    sentRequests: [],
  });
  for (const { kind, values } of sequencesOf(seed, sequences)) {
    const trial = { kind, values, runs: 1, act: sendAll };
    row.valid += await tryAll(run, [trial], runner, row);
  }
  return row;
}
