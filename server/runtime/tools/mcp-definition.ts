/** How an MCP server describes a tool: its identity, and the name under which the model knows it. */
import { createHash } from 'node:crypto';
import type { ListToolsResult } from '@ai-sdk/mcp';
import type { ToolText } from '../../contract/agent-options.js';

export type McpToolDefinition = ListToolsResult['tools'][number];

/** A hash of what the model is told of a tool, and of what it may send. */
export function hashDefinition({ name, description, inputSchema }: McpToolDefinition): string {
  const canonical = canonicalJson([name, description ?? '', inputSchema]);
  return createHash('sha256').update(canonical).digest('hex');
}

export function textOfDefinition({ description, inputSchema }: McpToolDefinition): ToolText {
  return { description: description ?? '', inputSchema };
}

/** The same for objects that differ in the order of their keys alone. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** The name under which the model knows it. */
export function nameOfTool(server: string, tool: string): string {
  return `${server}_${tool.replaceAll('.', '_')}`;
}
