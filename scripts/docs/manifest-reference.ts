/** The page about manifests: every field of their schema, with its type, limits, default and an example. */

import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { isObject, type JsonObject } from '../lib/json.js';
import { inProject } from '../lib/project.js';

export async function manifestReference(): Promise<string> {
  const text = await readFile(inProject('generated/agent-manifest.schema.json'), 'utf8');
  const schema = JSON.parse(text) as JsonObject;
  const [example] = listOf(schema['examples']);
  return [
    `A manifest is a YAML or JSON file with ${textOf(schema['description']).replace(/^The/, 'the')}`,
    '```sh\nnpm run operator -- agents apply -f support-bot.yaml\n```',
    'Editors complete and check it with the schema in `generated/agent-manifest.schema.json`. With every kind of setting:',
    `\`\`\`yaml\n${stringify(example)}\`\`\``,
    '**Fields**',
    fieldsIn(schema, schema, '').join('\n'),
  ].join('\n\n');
}

/** The fields of an object, each followed by its nested fields. */
function fieldsIn(document: JsonObject, schema: JsonObject, prefix: string): string[] {
  const required = listOf(schema['required']);
  const together = objectOf(schema['dependentRequired']);
  const named = Object.entries(objectOf(schema['properties'])).flatMap(([name, member]) => {
    const companions = listOf(together[name]).map((other) => `\`${textOf(other)}\``);
    const needs = companions.length === 0 ? '' : ` Needs ${companions.join(', ')} as well.`;
    return fieldAt(document, member, prefix + name, required.includes(name), needs);
  });
  const others = schema['additionalProperties'];
  return isObject(others)
    ? [...named, ...fieldAt(document, others, `${prefix}<name>`, false, '')]
    : named;
}

function fieldAt(
  document: JsonObject,
  member: unknown,
  path: string,
  isRequired: boolean,
  needs: string,
): string[] {
  const schema = resolve(document, member);
  const facts = [
    kindOf(document, schema),
    ...(isRequired ? ['required'] : []),
    ...(schema['default'] === undefined ? [] : [`default ${inCode(schema['default'])}`]),
  ];
  const [example] = listOf(resolve(document, schema['items'] ?? schema)['examples']);
  const rule = ruleOf(schema);
  const sentences = [
    sentence(textOf(schema['description'])) + needs,
    rule,
    ...(example === undefined || rule.includes('such as') ? [] : [`Example: ${inCode(example)}.`]),
  ];
  return [
    `- **\`${path}\`** (${facts.join(', ')}): ${sentences.filter(Boolean).join(' ')}`,
    ...branchesOf(document, schema, path),
    ...fieldsIn(document, schema, `${path}.`),
    ...fieldsIn(document, resolve(document, schema['items']), `${path}[].`),
  ];
}

/** The variants of the field, by its `type`. */
function branchesOf(document: JsonObject, schema: JsonObject, path: string): string[] {
  return listOf(schema['oneOf']).flatMap((branch) => {
    const form = resolve(document, branch);
    const { type } = objectOf(form['properties']);
    const { const: name } = objectOf(type);
    return [
      `- With \`${path}.type\` \`${textOf(name)}\`: ${textOf(form['description'])}`,
      ...fieldsIn(document, form, `${path}.`),
    ];
  });
}

function kindOf(document: JsonObject, schema: JsonObject): string {
  const values = listOf(schema['enum']);
  if (values.length > 0) return `one of ${values.map(inCode).join(', ')}`;
  if (schema['const'] !== undefined) return inCode(schema['const']);
  if (listOf(schema['oneOf']).length > 0) return 'object';
  switch (schema['type']) {
    case 'array':
      return `list of ${limits(schema, 'Items')}items, each ${kindOf(document, resolve(document, schema['items']))}`;
    case 'object':
      return schema['maxProperties'] === undefined
        ? 'object'
        : `object with at most ${grouped(schema['maxProperties'])} names`;
    case 'string':
      return schema['format'] === 'uri' ? 'address' : 'text';
    case 'boolean':
      return '`true` or `false`';
    default:
      return `${textOf(schema['type'])}${range(schema)}`;
  }
}

/** Uses the error message in place of the pattern. */
function ruleOf({ patternErrorMessage: message, maxLength }: JsonObject): string {
  if (typeof message === 'string') return `It ${sentence(message)}`;
  return maxLength === undefined ? '' : `At most ${grouped(maxLength)} characters.`;
}

function range({ minimum, maximum }: JsonObject): string {
  return minimum === undefined ? '' : ` from ${grouped(minimum)} to ${grouped(maximum)}`;
}

function limits(schema: JsonObject, what: string): string {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  return least === undefined
    ? `at most ${grouped(most)} `
    : `${grouped(least)} to ${grouped(most)} `;
}

function grouped(value: unknown): string {
  return Number(value).toLocaleString('en').replaceAll(',', ' ');
}

function inCode(value: unknown): string {
  return `\`${typeof value === 'string' ? value || "''" : JSON.stringify(value)}\``;
}

function sentence(text: string): string {
  return text === '' || text.endsWith('.') ? text : `${text}.`;
}

/** Keywords beside a reference override those of its target. */
function resolve(document: JsonObject, value: unknown): JsonObject {
  const { $ref, ...own } = objectOf(value);
  if (typeof $ref !== 'string') return own;
  const name = $ref.slice('#/$defs/'.length);
  return { ...resolve(document, objectOf(document['$defs'])[name]), ...own };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
