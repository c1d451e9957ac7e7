/** Summaries must be short titles in sentence case, and descriptions must be sentences. */

/** @import { Context, Operation } from '../types.js' */

const properWords = new Set(['API', 'APIs', 'HTTP', 'HTTPS', 'JSON', 'ID', 'IDs', 'URL', 'URLs']);

export function operationProse() {
  return {
    /**
     * @param {Operation} operation
     * @param {Context} ctx
     */
    Operation(operation, ctx) {
      const problem = summaryProblem(operation.summary?.trim() ?? '');
      if (problem !== undefined) {
        const location =
          operation.summary === undefined ? ctx.location.key() : ctx.location.child(['summary']);
        ctx.report({ message: `The summary ${problem}; write it like "List API keys".`, location });
      }
      if (!/[.!?](\s|$)/.test(operation.description ?? '')) {
        const location =
          operation.description === undefined
            ? ctx.location.key()
            : ctx.location.child(['description']);
        ctx.report({
          message:
            'The description must explain in at least one full sentence what the operation does.',
          location,
        });
      }
    },
  };
}

/**
 * @param {string} summary
 * @returns {string | undefined} the problem of the summary, if it has one
 */
function summaryProblem(summary) {
  const [first = '', ...others] = summary.split(/\s+/);
  if (!/^[A-Z]/.test(first)) return 'does not start with a capital letter';
  if (summary.endsWith('.')) return 'ends with a full stop';
  const capitalised = others.filter((word) => /^[A-Z]/.test(word) && !properWords.has(word));
  return capitalised.length > 0 ? `capitalises ${capitalised.join(', ')}` : undefined;
}
