/**
 * What is allowed in from outside. Models, tools, MCP servers and `http/` agents are taken for hostile: whatever they send
 * is limited here in size, depth, number and time, before anything is done with it.
 */
import { constraints } from '../../generated/constraints.js';
import type { StreamLimits } from '../lib/net/limit-stream.js';

/** A character takes at most six bytes, as an escape of JSON. */
const bytesPerCharacter = 6;

/** The answer to an invocation, and the whole response of an `http/` agent that it came in. */
const responseLength = constraints.Invocation.properties.response.maxLength;
export const maxResponse = {
  length: responseLength,
  bytes: bytesPerCharacter * responseLength,
};

/**
 * A response of a model or an `http/` agent as it is received. Where each token is an event, the response takes a hundred times
 * the bytes of its text. The longest answers that models give have about 130,000 events of three lines.
 */
export const maxStream: StreamLimits = {
  bytes: 64 * 1024 * 1024,
  lines: 500_000,
  eventBytes: maxResponse.bytes,
  eventValues: 50_000,
  pieceBytes: 16_384,
};

/** The libraries of the providers take a hundred times as long for an event as it takes to receive it. */
export const maxModelStream: StreamLimits = { ...maxStream, pieceBytes: 4_096 };

/** What a model may ask for in one step. It is told of calls beyond `maxToolCalls`, but not of any number of them. */
export const maxStep = { toolCalls: 128, argumentsLength: 500_000 };

/** What a server says of an error. */
export const maxError = {
  /** As much of the body as is read. */
  bytes: 16_384,
  /** How long the body may take: the status has said what matters. */
  ms: 2_000,
  /** As many characters as are shown. */
  length: 300,
};

/** The characters that a log entry has of what a tool or model said, or of a tool's arguments. */
export const maxLoggedLength = 1_000;

/** What the model gets of a tool's result. */
const resultLength = 50_000;
export const maxResult = { length: resultLength, bytes: bytesPerCharacter * resultLength };

/** The calls of tools that a model may ask for in one step. */
export const maxToolCalls = 32;
/** The arguments of one call. */
export const maxArguments = { bytes: 1024 * 1024, depth: 64, members: 100_000 };

/** The calls of tools that run at the same time, per host and instance. Others wait. */
export const maxCallsPerHost = 32;

const mcpBytes = 2 * 1024 * 1024;
export const maxMcp = {
  /** One response: a page of a list of tools, or a result before it is cut. */
  response: { ...maxStream, bytes: mcpBytes, eventBytes: mcpBytes },
  /** The items of a result. */
  items: 1_000,
  /** A list of tools, all of its pages together. */
  list: { pages: 20, tools: 1_000, length: mcpBytes },
  closeMs: 2_000,
};

/** A JSON Schema of a manifest or of an MCP server. */
export const maxSchema = { bytes: 65_536, depth: 64, members: 5_000 };

/** To compile a schema and to check one value with it. */
export const maxSchemaCheck = { threads: 2, ms: 1_000, megabytes: 128 };

/** For how long a list of tools is used. */
export const toolListCache = { ttlMs: 90_000, maxEntries: 1_000 };
