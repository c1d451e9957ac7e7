/** Runs steps side by side, prints them in order, and publishes what they made only if all of them succeeded. */

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../lib/failure.js';
import { inProject } from '../lib/project.js';
import { type Style, timed } from '../lib/terminal.js';
import { bundle, bundleContract } from './bundle.js';
import { client } from './client.js';
import { manifest } from './manifest.js';
import { operations } from './operations.js';
import { prisma } from './prisma.js';
import { publish, removeStale, scratchPrefix } from './publish.js';
import { schemas } from './schemas.js';
import type { Home, Inputs, Product, Step } from './step.js';
import { types } from './types.js';

export const steps: Step[] = [bundle, types, operations, schemas, manifest, client, prisma];

export interface Generation {
  spec: string;
  out: string;
  /** The folder of what belongs to the client. */
  clientOut: string;
  steps: Step[];
  /** Told of each step when it is done, in the order of the steps. */
  report: (name: string, summary: string, milliseconds: number, style?: Style) => void;
}

type Destination = Pick<Generation, 'out' | 'clientOut'>;

/** Where everything belongs in the project. */
export const inPlace: Destination = {
  out: inProject('generated'),
  clientOut: inProject('client/src/generated'),
};

export function inOneFolder(folder: string): Destination {
  return { out: folder, clientOut: path.join(folder, 'client') };
}

export async function generate(generation: Generation): Promise<void> {
  const { spec, out, clientOut } = generation;
  const homes: Record<Home, string> = { generated: out, client: clientOut };
  await mkdir(out, { recursive: true });
  // Beside its destination, because only a rename within one disk is a single act.
  const scratch = await mkdtemp(path.join(out, scratchPrefix));
  const cleanUp = () => {
    rmSync(scratch, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);
  try {
    const products = await makeAll(generation, inputsFrom(spec, scratch));
    for (const { home, product } of products) await publish(product, homes[home], scratch);
  } finally {
    cleanUp();
    process.off('exit', cleanUp);
  }
  for (const [home, folder] of Object.entries(homes)) {
    const own = steps.filter((step) => homeOf(step) === home).flatMap((step) => step.outputs);
    // One home may lie inside the other.
    const neighbours = Object.values(homes).map((other) => path.relative(folder, other));
    await removeStale(folder, [...own, ...neighbours]);
  }
}

function homeOf(step: Step): Home {
  return step.home ?? 'generated';
}

function inputsFrom(spec: string, scratch: string): Inputs {
  let contract: ReturnType<typeof bundleContract> | undefined;
  return {
    spec,
    contract: () => (contract ??= bundleContract(spec)),
    scratch: () => mkdtemp(path.join(scratch, 'step-')),
  };
}

interface Made {
  home: Home;
  product: Product;
}

async function makeAll({ steps: chosen, report }: Generation, inputs: Inputs): Promise<Made[]> {
  const runs = chosen.map(async (step) => {
    // An error of the contract comes up again, as the step's own, when the step asks for it.
    if (step.waitsForContract) await inputs.contract().catch(() => undefined);
    return timed(() => step.make(inputs));
  });
  const products: Made[] = [];
  const errors = new Set<unknown>();
  for (const [index, step] of chosen.entries()) {
    const run = await runs[index];
    if (run === undefined) continue;
    const name = step.outputs[0] ?? step.name;
    if ('value' in run) {
      products.push({ home: homeOf(step), product: run.value });
      report(name, run.value.summary, run.milliseconds);
    } else {
      report(name, 'failed', run.milliseconds, 'red');
      // Steps that share a broken input share its error.
      errors.add(run.error);
    }
  }
  if (errors.size > 0) throw failureOf(errors);
  return products;
}

function failureOf(errors: Set<unknown>): unknown {
  const unexpected = [...errors].find((error) => !(error instanceof Failure));
  if (unexpected !== undefined) return unexpected;
  const messages = [...errors].map((error) => (error instanceof Failure ? error.message : ''));
  return new Failure(
    `\n${messages.join('\n\n')}\n\nNothing was written. Mend what is named above and run it again.`,
  );
}
