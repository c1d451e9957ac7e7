/** Why a cluster cannot be opened. */
export type Problem =
  | 'no_binaries'
  | 'incomplete_binaries'
  | 'unreachable_binaries'
  | 'is_root'
  | 'user_without_name'
  | 'incomplete_cluster'
  | 'cluster_of_another_user'
  | 'cluster_of_another_version'
  | 'cluster_in_use'
  | 'wrong_password'
  | 'hanging_server';

/** Its message says what is wrong. What to do about it depends on the program, so the caller adds that for each problem. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly problem: Problem;

  constructor(problem: Problem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
