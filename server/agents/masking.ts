/** Masks secrets in settings that are shown. References are not masked, since they only say where a value comes from. */
import type {
  Endpoint,
  HttpTool,
  JwtAuth,
  McpServer,
  OAuth2Auth,
  Output,
  Schedule,
} from '../../generated/manifest.js';
import { parseSecretReference } from '../lib/text/secret-reference.js';
import { parseReference } from '../models/tools/references.js';

/** Includes all headers of an endpoint, since most of them carry credentials. */
const secretSettings: readonly string[] = ['secret', 'clientSecret', 'headers'] satisfies (
  keyof JwtAuth | keyof OAuth2Auth | keyof Endpoint
)[];
/** JSON Schemas, arguments, tools by name and contexts, which can have the same names as secret settings without being secret. */
const plainSettings: readonly string[] = [
  'parameters',
  'arguments',
  'schema',
  'approval',
  'context',
] satisfies (keyof HttpTool | keyof Output | keyof McpServer | keyof Schedule)[];
/** Earlier releases accepted a user name and a password in the URL of an endpoint. */
const urlSettings: readonly string[] = ['url', 'provider'] satisfies (
  keyof Endpoint | keyof OAuth2Auth
)[];
const mask = '******';

export function maskSecrets(settings: object, isSecret = false): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      plainSettings.includes(name)
        ? value
        : typeof value === 'string' && urlSettings.includes(name)
          ? value.replace(/^(https?:\/\/)[^/?#]*@/, `$1${mask}@`)
          : maskValue(value, isSecret || secretSettings.includes(name)),
    ]),
  );
}

function maskValue(value: unknown, isSecret: boolean): unknown {
  if (typeof value === 'string') {
    const isReference = parseSecretReference(value) ?? parseReference(value);
    return isSecret && !isReference ? mask : value;
  }
  if (Array.isArray(value)) return value.map((item) => maskValue(item, isSecret));
  return typeof value === 'object' && value !== null ? maskSecrets(value, isSecret) : value;
}
