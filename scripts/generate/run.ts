/** Runs steps side by side, prints them in order, and publishes what they made only if all of them succeeded. */

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../lib/failure.js';
import { type Style, timed } from '../lib/terminal.js';
import { bundle, bundleContract } from './bundle.js';
import { manifest } from './manifest.js';
import { operations } from './operations.js';
import { prisma } from './prisma.js';
import { publish, removeStale, scratchPrefix } from './publish.js';
import type { Inputs, Product, Step } from './step.js';
import { client, types } from './types.js';

export const steps: Step[] = [bundle, types, operations, manifest, client, prisma];

export interface Generation {
  spec: string;
  out: string;
  steps: Step[];
  /** Told of each step when it is done, in the order of the steps. */
  report: (name: string, summary: string, milliseconds: number, style?: Style) => void;
}

export async function generate(generation: Generation): Promise<void> {
  const { spec, out } = generation;
  await mkdir(out, { recursive: true });
  // Beside its destination, because only a rename within one disk is a single act.
  const scratch = await mkdtemp(path.join(out, scratchPrefix));
  const cleanUp = () => {
    rmSync(scratch, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);
  try {
    const products = await makeAll(generation, inputsFrom(spec, scratch));
    await publish(products, out, scratch);
  } finally {
    cleanUp();
    process.off('exit', cleanUp);
  }
  await removeStale(
    out,
    steps.flatMap((step) => step.outputs),
  );
}

function inputsFrom(spec: string, scratch: string): Inputs {
  let contract: ReturnType<typeof bundleContract> | undefined;
  return {
    spec,
    contract: () => (contract ??= bundleContract(spec)),
    scratch: () => mkdtemp(path.join(scratch, 'step-')),
  };
}

async function makeAll({ steps: chosen, report }: Generation, inputs: Inputs): Promise<Product[]> {
  const runs = chosen.map(async (step) => {
    // An error of the contract comes up again, as the step's own, when the step asks for it.
    if (step.waitsForContract) await inputs.contract().catch(() => undefined);
    return timed(() => step.make(inputs));
  });
  const products: Product[] = [];
  const errors = new Set<unknown>();
  for (const [index, step] of chosen.entries()) {
    const run = await runs[index];
    if (run === undefined) continue;
    const name = step.outputs[0] ?? step.name;
    if ('value' in run) {
      products.push(run.value);
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
