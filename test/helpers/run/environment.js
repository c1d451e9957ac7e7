/**
 * Node's environment with a way around Jest's module registry. Jest evaluates every module anew for every test file and
 * never frees it; what a worker imports natively it evaluates once, as a real process of the service does.
 */
import { TestEnvironment } from 'jest-environment-node';

export default class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    super(...parameters);
    Object.assign(this.global, {
      /** @param {string} file */
      importNatively: (file) => import(file),
    });
  }
}
