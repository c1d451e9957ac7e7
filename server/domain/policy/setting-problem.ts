/** Collects what keeps an agent's security settings from being evaluated, each with the name of its setting. */
import type { FieldProblem } from '../../../generated/api.js';
import { errorCode } from '../../lib/error-code.js';
import { SecretMissing } from '../../lib/secret-reference.js';

/** The message completes a sentence that begins with the setting's name. It never holds a secret. */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem';
}

export interface ProblemCollector {
  problems: FieldProblem[];
  /** What was made; undefined if it could not be, and then there is a problem more. */
  attempt: <Made>(setting: string, make: () => Made | Promise<Made>) => Promise<Made | undefined>;
}

export function collectProblems(): ProblemCollector {
  const problems: FieldProblem[] = [];
  return {
    problems,
    attempt: async (setting, make) => {
      try {
        return await make();
      } catch (error) {
        problems.push({ field: setting, error: explain(error) });
        return undefined;
      }
    },
  };
}

/** Errors that others throw may quote what they choked on, so only their code is repeated. */
function explain(error: unknown): string {
  if (error instanceof SettingProblem) return error.message;
  if (error instanceof SecretMissing) return `cannot be read: ${error.message}`;
  return `cannot be used (${errorCode(error) ?? 'it has no form that is known'})`;
}
