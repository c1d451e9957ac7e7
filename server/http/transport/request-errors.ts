/** Puts what the body parser, the router and the validator refuse into our own words. */
import type { ErrorCode, FieldProblem } from '../../../generated/api.js';
import { ServiceError } from '../../domain/errors.js';

/** The shape that all of them share, as far as it is used here. */
interface Refusal {
  status: number;
  /** The body parser's name for what is wrong. */
  type?: unknown;
  /** The validator's findings. */
  errors?: unknown;
}

interface Finding {
  path: string;
  message: string;
  errorCode?: string;
}

export function toRequestError(fault: unknown): ServiceError | undefined {
  if (!isRefusal(fault)) return undefined;
  if (fault.status === 400 && Array.isArray(fault.errors) && fault.errors.every(isFinding)) {
    return explainFindings(fault.errors);
  }
  return new ServiceError(
    ...(explanations[String(fault.type)] ?? explanations[fault.status] ?? malformed),
  );
}

type Explanation = [ErrorCode, string];

export const tooLarge: Explanation = [
  'payload_too_large',
  'The request body is larger than 1 MiB.',
];
export const wrongMediaType: Explanation = [
  'unsupported_media_type',
  'Send the body as application/json in UTF-8.',
];
export const malformed: Explanation = ['invalid_request', 'The request is malformed.'];

const explanations: Record<string, Explanation | undefined> = {
  'entity.parse.failed': ['invalid_request', 'The request body is not valid JSON.'],
  'entity.too.large': tooLarge,
  'request.aborted': malformed,
  'request.size.invalid': malformed,
  'encoding.unsupported': [
    'unsupported_media_type',
    'Send the body as it is, or compressed as gzip, deflate or br.',
  ],
  400: ['invalid_request', 'The request address is not valid: check its percent-encoding.'],
  413: tooLarge,
  415: wrongMediaType,
};

export function explainFindings(findings: Finding[]): ServiceError {
  const details = new Map<string, FieldProblem>();
  for (const finding of findings) {
    const field = fieldOf(finding.path);
    // Of several findings on one field (such as each branch of a union) the first is the telling one.
    if (!details.has(field)) details.set(field, { field, error: sentence(finding) });
  }
  const [first, ...others] = [...details.values()];
  const missing = first !== undefined && others.length === 0 && first.error === isRequired;
  return new ServiceError(
    'invalid_request',
    missing ? `Missing required parameter: ${first.field}` : 'Validation failed',
    { details: [...details.values()].slice(0, 100) },
  );
}

/** `/body/context/user_id` is the field `context.user_id`; `/query/limit` is `limit`. */
function fieldOf(path: string): string {
  const [, place = '', ...steps] = path.split('/');
  const field = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
  return (field || place || 'request').slice(0, 512);
}

const isRequired = 'is required';

function sentence({ message, errorCode }: Finding): string {
  switch (errorCode?.split('.')[0]) {
    case 'required':
      return isRequired;
    case 'additionalProperties':
      return 'is not a known field';
    default:
      return /^unknown query parameter/i.test(message) ? 'is not a known parameter' : message;
  }
}

function isRefusal(fault: unknown): fault is Refusal {
  return (
    fault instanceof Error &&
    'status' in fault &&
    typeof fault.status === 'number' &&
    fault.status >= 400 &&
    fault.status < 500
  );
}

function isFinding(value: unknown): value is Finding {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  );
}
