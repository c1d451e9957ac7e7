/**
 * What is allowed in from outside. Models, tools, MCP servers and `http/` agents are taken for hostile: whatever they send
 * is limited here in size, depth, number and time, before anything is done with it.
 */
import { constraints } from '../../generated/constraints.js';

/** A character takes at most four bytes in UTF-8. */
const bytesPerCharacter = 4;

/** The answer to an invocation, and the whole response of an `http/` agent that it came in. */
const responseLength = constraints.Invocation.properties.response.maxLength;
export const maxResponse = {
  length: responseLength,
  bytes: bytesPerCharacter * responseLength,
  /** An event of many tiny lines takes many times its length in memory. */
  linesOfEvent: 10_000,
};

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

export const maxMcp = {
  /** One response: a list of tools, or a result before it is cut. */
  responseBytes: 2 * 1024 * 1024,
  /** The pages of a list of tools. */
  pages: 20,
  closeMs: 2_000,
};
