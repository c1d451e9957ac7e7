/** Code that repeats a request in other programs. It reads the key from the environment and never contains it. */
import type { InvocationRequest } from '../../../src/index.js';
import { serviceUrl } from '../../lib/router.js';

/** Within single quotes, a POSIX shell interprets nothing. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function asCurl(agent: string, request: InvocationRequest): string {
  const url = `${serviceUrl}v1/agents/${encodeURIComponent(agent)}/invoke`;
  return [
    `curl -N ${shellQuote(url)} \\`,
    `  -H "Authorization: Bearer $AGENT_HOSTING_API_KEY" \\`,
    `  -H 'Content-Type: application/json' -H 'Accept: text/event-stream' \\`,
    `  -d ${shellQuote(JSON.stringify(request))}`,
  ].join('\n');
}

export function asSdk(agent: string, request: InvocationRequest): string {
  return `import { agentHosting } from '@agent-hosting/client';

// The key is in AGENT_HOSTING_API_KEY.
const client = agentHosting({ baseUrl: ${JSON.stringify(serviceUrl)} });
const stream = client.agents.invoke(
  ${JSON.stringify(agent)},
  ${JSON.stringify(request, null, 2).replaceAll('\n', '\n  ')},
  { stream: true },
);
for await (const { text } of stream) process.stdout.write(text);
`;
}
