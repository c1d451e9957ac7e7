/** Imports modules of the built project into the worker itself, where they stay from one test file to the next. */
import path from 'node:path';
import { builtProject } from '../built-project.js';

declare global {
  /** Provided by the environment of the tests. */
  var importNatively: (file: string) => Promise<unknown>;
}

/** `Module` is the type of the module, as in `importBuilt<typeof import('…')>('…')`. */
export async function importBuilt<Module>(file: string): Promise<Module> {
  return (await globalThis.importNatively(path.join(await builtProject(), file))) as Module;
}
