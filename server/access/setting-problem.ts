/** Collects the problems of an agent's security settings, each with the name of its setting. */
import type { FieldProblem } from '../../generated/api.js';
import { errorCode } from '../lib/errors/error-code.js';
import { SecretMissing } from '../lib/text/secret-reference.js';

/** The message completes a sentence that begins with the setting's name. It never contains a secret. */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem';
}

export interface ProblemCollector {
  problems: FieldProblem[];
  /** Resolves to the compiled value, or adds a problem and resolves to undefined if `compile` throws. */
  attempt: <Value>(
    setting: string,
    compile: () => Value | Promise<Value>,
  ) => Promise<Value | undefined>;
}

export function collectProblems(): ProblemCollector {
  const problems: FieldProblem[] = [];
  return {
    problems,
    attempt: async (setting, compile) => {
      try {
        return await compile();
      } catch (error) {
        problems.push({ field: setting, error: explain(error) });
        return undefined;
      }
    },
  };
}

/** The messages of other errors may quote a secret, so only their codes are used. */
function explain(error: unknown): string {
  if (error instanceof SettingProblem) return error.message;
  if (error instanceof SecretMissing) return `cannot be read: ${error.message}`;
  return `cannot be used (${errorCode(error) ?? 'unknown format'})`;
}
