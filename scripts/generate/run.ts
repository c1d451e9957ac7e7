/** Runs the generation steps in parallel, reports them in order, and publishes their output only if all of them succeed. */

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../lib/failure.js';
import { inProject } from '../lib/project.js';
import { type Style, timed } from '../lib/terminal.js';
import { bundle, bundleContract } from './bundle.js';
import { chart } from './chart.js';
import { client } from './client.js';
import { constraints } from './constraints.js';
import { manifest } from './manifest.js';
import { operations } from './operations.js';
import { prisma } from './prisma.js';
import { publish, removeStale, scratchPrefix } from './publish.js';
import type { Destination, Inputs, Product, Step } from './step.js';
import { types } from './types.js';

export const steps: Step[] = [
  bundle,
  types,
  operations,
  constraints,
  manifest,
  client,
  chart,
  prisma,
];

interface OutputFolders {
  out: string;
  clientOut: string;
  chartOut: string;
}

export interface GenerateOptions extends OutputFolders {
  spec: string;
  steps: Step[];
  /** Called for each finished step, in the order of the steps. */
  report: (name: string, summary: string, milliseconds: number, style?: Style) => void;
}

export const inPlace: OutputFolders = {
  out: inProject('generated'),
  clientOut: inProject('client/src/generated'),
  chartOut: inProject('deploy/helm/agent-hosting/files'),
};

export function inOneFolder(folder: string): OutputFolders {
  return {
    out: folder,
    clientOut: path.join(folder, 'client'),
    chartOut: path.join(folder, 'chart'),
  };
}

export async function generate(options: GenerateOptions): Promise<void> {
  const { spec, out, clientOut, chartOut } = options;
  const folders: Record<Destination, string> = {
    generated: out,
    client: clientOut,
    chart: chartOut,
  };
  await mkdir(out, { recursive: true });
  // Next to the destination: a rename is atomic only within one file system.
  const scratch = await mkdtemp(path.join(out, scratchPrefix));
  const cleanUp = () => {
    rmSync(scratch, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);
  try {
    const results = await runSteps(options, createInputs(spec, scratch));
    for (const { destination, product } of results) {
      await publish(product, folders[destination], scratch);
    }
  } finally {
    cleanUp();
    process.off('exit', cleanUp);
  }
  for (const [destination, folder] of Object.entries(folders)) {
    const own = steps.filter((step) => destinationOf(step) === destination);
    // One destination may be inside the other.
    const nested = Object.values(folders).map((other) => path.relative(folder, other));
    await removeStale(folder, [...own.flatMap((step) => step.outputs), ...nested]);
  }
}

function destinationOf(step: Step): Destination {
  return step.destination ?? 'generated';
}

function createInputs(spec: string, scratch: string): Inputs {
  let contract: ReturnType<typeof bundleContract> | undefined;
  return {
    spec,
    contract: () => (contract ??= bundleContract(spec)),
    scratch: () => mkdtemp(path.join(scratch, 'step-')),
  };
}

interface StepResult {
  destination: Destination;
  product: Product;
}

async function runSteps(
  { steps: selected, report }: GenerateOptions,
  inputs: Inputs,
): Promise<StepResult[]> {
  const runs = selected.map(async (step) => {
    // If bundling fails, the step fails with the same error when it asks for the contract.
    if (step.waitsForContract) await inputs.contract().catch(() => undefined);
    return timed(() => step.make(inputs));
  });
  const results: StepResult[] = [];
  const errors = new Set<unknown>();
  for (const [index, step] of selected.entries()) {
    const run = await runs[index];
    if (run === undefined) continue;
    const name = step.outputs[0] ?? step.name;
    if ('value' in run) {
      results.push({ destination: destinationOf(step), product: run.value });
      report(name, run.value.summary, run.milliseconds);
    } else {
      report(name, 'failed', run.milliseconds, 'red');
      // A set, because steps with the same broken input fail with the same error.
      errors.add(run.error);
    }
  }
  if (errors.size > 0) throw combineErrors(errors);
  return results;
}

function combineErrors(errors: Set<unknown>): unknown {
  const unexpected = [...errors].find((error) => !(error instanceof Failure));
  if (unexpected !== undefined) return unexpected;
  const messages = [...errors].map((error) => (error instanceof Failure ? error.message : ''));
  return new Failure(
    `\n${messages.join('\n\n')}\n\nNothing was written. Fix the problems above and run it again.`,
  );
}
