/** How an MCP server describes a tool: its identity, and the name under which the model knows it. */
import { createHash } from 'node:crypto';
import type { ListToolsResult } from '@ai-sdk/mcp';

export type McpToolDefinition = ListToolsResult['tools'][number];

/** A hash of what the model is told of a tool, and of what it may send. */
export function hashDefinition({ name, description, inputSchema }: McpToolDefinition): string {
  const canonical = JSON.stringify(
    [name, description ?? '', inputSchema],
    (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}

/** The name under which the model knows it. */
export function nameOfTool(server: string, tool: string): string {
  return `${server}_${tool.replaceAll('.', '_')}`;
}
