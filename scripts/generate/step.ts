/** The interface of a generation step. */

import type { Contract } from '../lib/contract.js';

export const header = 'Generated from spec/ by npm run generate. Do not edit.';

export interface Inputs {
  /** The folder with openapi.yaml and agent-manifest.yaml. */
  spec: string;
  /** The bundled contract, created once and shared by the steps. */
  contract: () => Promise<Contract>;
  /** An empty folder on the same file system as the output, for a step that needs files. */
  scratch: () => Promise<string>;
}

/** The service's generated folder, or the one inside the client's package or the Helm chart, which are published on their own. */
export type Destination = 'generated' | 'client' | 'chart';

export interface Product {
  summary: string;
  /** The content of each file, by its name in the destination. */
  files?: Record<string, string>;
  /** The path of each finished folder, by its name in the destination. */
  folders?: Record<string, string>;
}

export interface Step {
  name: string;
  /** `generated` by default. */
  destination?: Destination;
  /** Every file and folder that the step creates; anything else in the destination is stale. */
  outputs: string[];
  /** Whether the step, and the measurement of its duration, starts after the contract is bundled. */
  waitsForContract: boolean;
  make: (inputs: Inputs) => Promise<Product>;
}
