/** pg, imported natively. */
import type pg from 'pg';

const { default: own } = (await globalThis.importNatively('pg')) as { default: typeof pg };

export default own;
