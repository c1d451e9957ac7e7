/** Explains why a tool or its server could not be reached, without details that only the operator may see. */
import { errorCode } from '../../lib/errors/error-code.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { SecretMissing } from '../secret-reference.js';
import { TargetRefused } from '../../lib/net/target-address.js';

export function explainCallFailure(error: unknown): string {
  if (error instanceof TargetRefused) return `its address was refused: it ${error.reason}`;
  if (error instanceof SecretMissing) return `a header: ${error.message}`;
  if (error instanceof ResponseTooLarge) return 'its response is too large';
  const code = errorCode(error);
  if (code !== undefined) return `the connection failed (${code})`;
  const hasCause = error instanceof Error && error.cause !== undefined;
  return hasCause ? explainCallFailure(error.cause) : 'the connection failed';
}
