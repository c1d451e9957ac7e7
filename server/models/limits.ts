/**
 * Limits for untrusted input. Models, tools, MCP servers and `http/` agents may be hostile: everything that they send is
 * limited in size, depth, number and time before it is processed.
 */
import { constraints } from '../../generated/constraints.js';
import type { StreamLimits } from '../lib/net/limit-stream.js';

/** A character takes at most six bytes, as a JSON escape. */
const bytesPerCharacter = 6;

/** The response to an invocation, in characters, and the JSON response of an `http/` agent that contains it, in bytes. */
const responseLength = constraints.Invocation.properties.response.maxLength;
export const maxResponse = {
  length: responseLength,
  bytes: bytesPerCharacter * responseLength,
};

/**
 * A streamed response of a model or an `http/` agent. If each token is an event, the stream is a hundred times larger than its
 * text. The longest responses of models have about 130,000 events of three lines.
 */
export const maxStream: StreamLimits = {
  bytes: 64 * 1024 * 1024,
  lines: 500_000,
  eventBytes: maxResponse.bytes,
  eventValues: 50_000,
  pieceBytes: 16_384,
};

/** Smaller pieces, because the providers' libraries take a hundred times longer to process an event than to receive it. */
export const maxModelStream: StreamLimits = { ...maxStream, pieceBytes: 4_096 };

/** The vectors of one batch, of which each number may have its own line: 64 vectors of 8,000 numbers. */
const embeddingBytes = 16 * 1024 * 1024;
export const maxEmbeddings: StreamLimits = {
  ...maxStream,
  bytes: embeddingBytes,
  lines: 1_000_000,
  eventBytes: embeddingBytes,
  eventValues: 600_000,
};

/** The tool calls of one step. Calls beyond `maxToolCalls` get an error as their result; calls beyond this limit fail the invocation. */
export const maxStep = { toolCalls: 128, argumentsLength: 500_000 };

/** The body of an error response. */
export const maxError = {
  /** How much of the body is read. */
  bytes: 16_384,
  /** How long reading may take, since the status matters more than the body. */
  ms: 2_000,
  /** How many characters are shown. */
  length: 300,
};

/** The texts of tools and models, and tool arguments, in log entries. */
export const maxLoggedLength = 1_000;

/** How many characters of a tool's result the model receives, unless the manifest sets `maxResult`. */
export const defaultResultLength = 50_000;

/** How many bytes a text of this length can have, as a JSON string. */
export function maxBytesOf(length: number): number {
  return bytesPerCharacter * length;
}

/** The tool calls that are executed in one step. */
export const maxToolCalls = 32;
/** The arguments of one tool call. */
export const maxArguments = { bytes: 1024 * 1024, depth: 64, members: 100_000 };

/** Concurrent tool calls per host and process, of which one queue key gets half. Further calls wait. */
export const maxCallsPerHost = 64;

const mcpBytes = 2 * 1024 * 1024;
export const maxMcp = {
  /** One response: a page of the tool list, or a result before it is truncated. */
  response: { ...maxStream, bytes: mcpBytes, eventBytes: mcpBytes },
  /** The items of a result. */
  items: 1_000,
  /** The tool list, all pages together. */
  list: { pages: 20, tools: 1_000, length: mcpBytes },
  closeMs: 2_000,
};

/** A JSON Schema from a manifest or an MCP server. */
export const maxSchema = { bytes: 65_536, depth: 64, members: 5_000 };

/** Compiling a schema and checking one value. */
export const maxSchemaCheck = { threads: 2, ms: 1_000, megabytes: 128 };

/** A list that is used after `refreshMs` is requested again in the background. */
export const toolListCache = { ttlMs: 300_000, refreshMs: 60_000, maxEntries: 1_000 };
