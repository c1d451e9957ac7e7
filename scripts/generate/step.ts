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

export interface Product {
  summary: string;
  /** The text of each file, by its name in the output folder. */
  files?: Record<string, string>;
  /** Finished folders, by their name in the output folder: where each one waits to be moved there. */
  folders?: Record<string, string>;
}

export interface Step {
  name: string;
  /** Everything that the step makes; what no step makes is stale. */
  outputs: string[];
  /** Its time counts from when the contract is bundled. */
  waitsForContract: boolean;
  make: (inputs: Inputs) => Promise<Product>;
}
