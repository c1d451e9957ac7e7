/** What a step of the generation is, what it may use and what it returns. */

import type { Contract } from '../lib/contract.js';

export const header = 'Generated from spec/ by npm run generate. Do not edit.';

export interface Inputs {
  /** The folder with openapi.yaml and agent-manifest.yaml. */
  spec: string;
  /** The bundled contract; it is made once and shared by the steps that need it. */
  contract: () => Promise<Contract>;
  /** An empty folder on the same disk as the output, for a step that cannot work in memory. */
  scratch: () => Promise<string>;
}

/** The folders that generation fills: one for the service, one inside the client's package, which is published alone. */
export type Home = 'generated' | 'client';

export interface Product {
  summary: string;
  /** The text of each file, by its name in the home of the step. */
  files?: Record<string, string>;
  /** Finished folders, by their name in the home of the step: where each one waits to be moved there. */
  folders?: Record<string, string>;
}

export interface Step {
  name: string;
  /** Where its files belong; `generated` if it does not say. */
  home?: Home;
  /** Everything that the step makes; what no step makes is stale. */
  outputs: string[];
  /** Its time counts from when the contract is bundled. */
  waitsForContract: boolean;
  make: (inputs: Inputs) => Promise<Product>;
}
