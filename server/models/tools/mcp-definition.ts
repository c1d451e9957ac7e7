/** The definition of a tool by an MCP server: its hash, and its name for the model. */
import { createHash } from 'node:crypto';
import type { ListToolsResult } from '@ai-sdk/mcp';
import type { ToolText } from '../../contract/agent-options.js';

export type McpToolDefinition = ListToolsResult['tools'][number];

/** A hash of everything about a tool that the model sees. */
export function hashDefinition({ name, description, inputSchema }: McpToolDefinition): string {
  const canonical = canonicalJson([name, description ?? '', inputSchema]);
  return createHash('sha256').update(canonical).digest('hex');
}

export function textOfDefinition({ description, inputSchema }: McpToolDefinition): ToolText {
  return { description: description ?? '', inputSchema };
}

/** Equal for objects that differ only in the order of their keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** The name of a tool for the model. */
export function nameOfTool(server: string, tool: string): string {
  return `${server}_${tool.replaceAll('.', '_')}`;
}
