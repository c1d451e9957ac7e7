/** fast-check, imported natively. */
import type fc from 'fast-check';

const { default: own } = (await globalThis.importNatively('fast-check')) as { default: typeof fc };

export default own;
