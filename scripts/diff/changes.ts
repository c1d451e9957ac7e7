/** Compares two contracts with Redocly and describes their differences. */

import { Failure } from '../lib/failure.js';
import { isObject, type JsonObject } from '../lib/json.js';
import { redocly } from '../lib/redocly.js';

export interface Change {
  breaking: boolean;
  /** The operation, or the part of the document, that changed. */
  subject: string;
  text: string;
}

export interface Comparison {
  changes: Change[];
  versions: { base: string; revision: string };
}

export async function compare(baseFile: string, revisionFile: string): Promise<Comparison> {
  const args = ['diff', baseFile, revisionFile, '--format=json', '--fail-on=none'];
  const { code, stdout, stderr } = await redocly(args);
  if (code !== 0) throw new Failure(stderr);

  const report: unknown = JSON.parse(stdout);
  if (!isObject(report) || !Array.isArray(report['changes']) || !isObject(report['infoVersions'])) {
    throw new Failure(
      'The report of redocly diff has an unknown format; see scripts/diff/changes.ts.',
    );
  }
  const { base, revision } = report['infoVersions'];
  return {
    changes: report['changes'].map(changeOf),
    versions: { base: String(base), revision: String(revision) },
  };
}

/**
 * Additions that reach only clients that ask for them: an event goes to webhooks that subscribe to it, and a preference that was applied
 * had been sent. Each is a rule of Redocly and the place to which it does not apply.
 */
const onRequest = [
  { rule: 'schema-combinator-changed', place: '#/components/schemas/WebhookEvent/oneOf/' },
  { rule: 'enum-values-added', place: '#/components/headers/Preference-Applied/schema/enum' },
];

function isOnRequest({ ruleId, location }: JsonObject): boolean {
  const pointer = isObject(location) ? String(location['pointer']) : '';
  return onRequest.some(({ rule, place }) => rule === ruleId && pointer.startsWith(place));
}

function changeOf(entry: unknown): Change {
  const change = isObject(entry) ? entry : {};
  const { subject, inside } = locate(String(change['path']));
  const verdicts: unknown[] = Array.isArray(change['verdicts']) ? change['verdicts'] : [];
  const found = verdicts.filter(isObject);
  const messages = found.map((verdict) => String(verdict['message']));
  const property = typeof change['property'] === 'string' ? [change['property']] : [];
  const what = [...inside, ...property].join('/');
  return {
    breaking: change['impact'] === 'major' && !(found.length > 0 && found.every(isOnRequest)),
    subject,
    text: messages.length > 0 ? messages.join(' ') : `${String(change['kind'])} ${what}`.trim(),
  };
}

/** `#/paths/~1v1~1agents/get/responses/200` is responses/200 in GET /v1/agents. */
function locate(pointer: string): { subject: string; inside: string[] } {
  const [first = '', second, third, ...rest] = pointer
    .replace(/^#\/?/, '')
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (!['paths', 'webhooks'].includes(first) || second === undefined) {
    return { subject: first, inside: [second, third, ...rest].filter((key) => key !== undefined) };
  }
  return third === undefined || third === 'parameters'
    ? { subject: second, inside: third === undefined ? [] : [third, ...rest] }
    : { subject: `${third.toUpperCase()} ${second}`, inside: rest };
}
