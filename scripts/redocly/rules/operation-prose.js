/** Summaries read as short titles in sentence case, descriptions as sentences. */

/** @import { Context, Operation } from '../types.js' */

const properWords = new Set(['API', 'APIs', 'HTTP', 'HTTPS', 'JSON', 'ID', 'IDs', 'URL', 'URLs']);

export function operationProse() {
  return {
    /**
     * @param {Operation} operation
     * @param {Context} ctx
     */
    Operation(operation, ctx) {
      const fault = summaryFault(operation.summary?.trim() ?? '');
      if (fault !== undefined) {
        const location =
          operation.summary === undefined ? ctx.location.key() : ctx.location.child(['summary']);
        ctx.report({ message: `The summary ${fault}; write it like "List API keys".`, location });
      }
      if (!/[.!?](\s|$)/.test(operation.description ?? '')) {
        const location =
          operation.description === undefined
            ? ctx.location.key()
            : ctx.location.child(['description']);
        ctx.report({
          message:
            'The description must say in at least one full sentence what the operation does.',
          location,
        });
      }
    },
  };
}

/**
 * @param {string} summary
 * @returns {string | undefined} what is wrong with the summary, if anything is
 */
function summaryFault(summary) {
  const [first = '', ...others] = summary.split(/\s+/);
  if (!/^[A-Z]/.test(first)) return 'does not start with a capital letter';
  if (summary.endsWith('.')) return 'ends with a full stop';
  const capitalised = others.filter((word) => /^[A-Z]/.test(word) && !properWords.has(word));
  return capitalised.length > 0 ? `capitalises ${capitalised.join(', ')}` : undefined;
}
