/** The parts of OpenAPI documents and of Redocly's rule API that the project's own rules use. */

export interface Reference {
  $ref: string;
}

export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  oneOf?: (Schema | Reference)[];
  anyOf?: (Schema | Reference)[];
  allOf?: (Schema | Reference)[];
  properties?: Record<string, Schema | Reference>;
  required?: string[];
  items?: Schema | Reference;
  contentSchema?: Schema | Reference;
  pattern?: string;
  format?: string;
  maxLength?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  additionalProperties?: unknown;
  unevaluatedProperties?: unknown;
  'x-free-text'?: boolean;
  'x-extensible-enum'?: string[];
  'x-http-status'?: Record<string, number>;
}

export interface Example {
  value?: unknown;
}

export interface MediaType {
  schema?: Schema | Reference;
  example?: unknown;
  examples?: Record<string, Example | Reference>;
}

export interface Parameter {
  name: string;
  in: string;
  example?: unknown;
  examples?: Record<string, Example | Reference>;
}

export interface Response {
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: unknown;
  responses?: Record<string, Response | Reference>;
  'x-idempotent'?: boolean;
  'x-mfa'?: string;
}

export interface PathItem {
  parameters?: (Parameter | Reference)[];
}

/** A place in one of the files of the contract. */
export interface Location {
  source: { absoluteRef: string };
  pointer: string;
  child(path: (string | number)[]): Location;
  key(): Location;
}

export interface Problem {
  message: string;
  location: Location;
}

/** The context that Redocly passes to a rule with the visited node. */
export interface Context {
  key: string | number;
  location: Location;
  parentLocations: { PathItem: Location };
  report(problem: Problem): void;
  resolve<T>(node: T | Reference, from: string): { node?: T; location?: Location };
}

/** A value of the contract with its location, after its reference is resolved. */
export interface Located<T> {
  node: T;
  location: Location;
}

/** An operation under `paths` with its context. */
export interface OperationVisit {
  ctx: Context;
  method: string;
  operation: Located<Operation>;
  pathItem: Located<PathItem>;
}
