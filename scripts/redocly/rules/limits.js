/** Each schema must limit the size and the form of its values. */

import { isCondition } from '../contract.js';

/** @import { Context, Schema } from '../types.js' */

/** @type {Record<string, (schema: Schema) => string[]>} */
const problemsByType = {
  string: (schema) => [
    ...(schema.maxLength === undefined ? ['a string needs maxLength, enum or const'] : []),
    ...(schema.pattern === undefined && schema.format === undefined && !schema['x-free-text']
      ? ['a string needs a pattern or a format, or x-free-text: true if it is text for people']
      : []),
  ],
  integer: (schema) => [...rangeProblems(schema), ...widthProblems(schema)],
  number: rangeProblems,
  array: (schema) => [
    ...(schema.maxItems === undefined ? ['an array needs maxItems'] : []),
    ...(schema.uniqueItems && (schema.maxItems ?? 0) > maxUniqueItems
      ? [`an array of unique items needs maxItems of at most ${maxUniqueItems}`]
      : []),
  ],
  object: (schema) => [
    ...(schema.additionalProperties === undefined && schema.unevaluatedProperties === undefined
      ? ['an object must set additionalProperties']
      : []),
  ],
};

/** Items are compared pairwise, which blocks the event loop. */
const maxUniqueItems = 100;

/** Many generators take 32 bits for an integer without a format. */
const largestInteger = 2 ** 31 - 1;

/** Keywords that apply to one type only, so that a schema with them must name that type. */
const typeByKeyword = {
  properties: ['object'],
  items: ['array'],
  pattern: ['string'],
  maxLength: ['string'],
  minimum: ['integer', 'number'],
  maximum: ['integer', 'number'],
};

export function limits() {
  return {
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      if (schema.enum !== undefined || schema.const !== undefined) return;
      const types = [schema.type ?? []].flat();
      const problems = [
        ...types.flatMap((type) => problemsByType[type]?.(schema) ?? []),
        ...(isCondition(ctx) ? [] : untypedKeywords(schema, types)),
      ];
      for (const problem of problems) {
        ctx.report({ message: `Unlimited schema: ${problem}.`, location: ctx.location });
      }
    },
  };
}

/**
 * @param {Schema} schema
 * @returns {string[]}
 */
function rangeProblems(schema) {
  const lower = schema.minimum ?? schema.exclusiveMinimum;
  const upper = schema.maximum ?? schema.exclusiveMaximum;
  return lower === undefined || upper === undefined
    ? ['a number needs minimum and maximum, enum or const']
    : [];
}

/**
 * @param {Schema} schema
 * @returns {string[]}
 */
function widthProblems({ minimum = 0, maximum = 0, format }) {
  const fits = maximum <= largestInteger && minimum >= -largestInteger - 1;
  return fits || format === 'int64' ? [] : ['an integer of more than 32 bits needs format: int64'];
}

/**
 * @param {Schema} schema
 * @param {string[]} types
 * @returns {string[]}
 */
function untypedKeywords(schema, types) {
  const used = Object.entries(typeByKeyword).filter(
    ([keyword, owners]) => keyword in schema && !owners.some((owner) => types.includes(owner)),
  );
  return used.map(([keyword, owners]) => `${keyword} also needs type: ${owners.join(' or ')}`);
}
