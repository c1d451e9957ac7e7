/** Starts the files first that take longest, so that no worker is left with one of them when the others are done. */
import sequencer from '@jest/test-sequencer';

// Its types are written for CommonJS, where the class is a property of what is imported.
const Sequencer = /** @type {typeof sequencer.default} */ (/** @type {unknown} */ (sequencer));

// Jest itself goes by the size of files as long as it has not seen them run, and the longest of these are small.
const longest = [
  'client/package.e2e',
  'contract/drift.e2e',
  'store/embedded.e2e',
  'service/workers.e2e',
  'service/first-start.e2e',
  'contract/diff.e2e',
  'store/db-commands.e2e',
  'operator/commands.e2e',
  'delivery/service.test',
  'fuzz/fuzz.test',
  'security/matrix.test',
  'delivery/isolation.test',
  'delivery/worker.test',
].map((name) => `/test/${name}.ts`);

export default class extends Sequencer {
  /**
   * @override
   * @param {Parameters<import('@jest/test-sequencer').default['sort']>[0]} tests
   */
  async sort(tests) {
    const place = (/** @type {{ path: string }} */ { path }) => {
      const found = longest.findIndex((name) => path.endsWith(name));
      return found < 0 ? longest.length : found;
    };
    return [...(await super.sort(tests))].sort((one, other) => place(one) - place(other));
  }
}
