/**
 * Node's environment with a way around Jest's module registry. Jest evaluates every module anew for every test file and
 * never frees it; what a worker imports natively it evaluates once, as a real process of the service does.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

/** Those in use. Node 20 visits each of them for every promise, and Jest makes one for every test file. */
/** @type {Set<AsyncLocalStorage<unknown>>} */
const storages = new Set();
const run = /** @type {(...parameters: unknown[]) => unknown} */ (
  Reflect.get(AsyncLocalStorage.prototype, 'run')
);
Reflect.set(
  AsyncLocalStorage.prototype,
  'run',
  /**
   * @this {AsyncLocalStorage<unknown>}
   * @param {unknown[]} parameters
   */
  function (...parameters) {
    storages.add(this);
    return Reflect.apply(run, this, parameters);
  },
);

export default class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    super(...parameters);
    Object.assign(this.global, {
      /** @param {string} file */
      importNatively: (file) => import(file),
      // The same as for what is imported natively, so that a test can set its clock and its variables.
      Date,
      process,
    });
    // What is imported natively knows the errors of a test as errors.
    Object.setPrototypeOf(this.global.Error.prototype, Error.prototype);
  }

  /** @override */
  async teardown() {
    for (const storage of storages) storage.disable();
    storages.clear();
    await super.teardown();
  }
}
