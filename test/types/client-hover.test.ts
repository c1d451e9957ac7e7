/** What an editor shows for the SDK: type names, and the contract's descriptions of fields. */
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'test/types/hover.ts');
const schema = path.join(root, 'client/src/generated/schema.ts');

const program = `
import { agentHosting, type WebhookEvent } from '../../client/src/index.js';
declare const event: WebhookEvent;
const client = agentHosting();
const agent = await client.agents.get('echo');
const updated = client.agents.update('echo', { temperature: 1 });
const answer = await client.agents.invoke('echo', { message: 'Hi', context: { user_id: 'user-1' } });
const stream = client.agents.invoke('echo', { message: 'Hi' }, { stream: true });
const job = client.agents.invokeAsync('echo', { message: 'Hi' });
const list = client.agents.list({ sort: 'name' });
const page = await list;
const logs = await client.logs.list('echo').toArray({ limit: 5 });
const matches = client.memory.search('echo', { query: 'refund' });
const { data, requestId } = await client.keys.create({ name: 'a', permissions: ['read'] }).withResponse();
export const seen = [agent.model, agent.status, updated, answer.tokens_used, stream, job.result(), page.data,
  logs, matches, data.key, requestId, event];
`;

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (name) =>
  ts.sys.readFile(name),
) as { config: unknown };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);

const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = name === file ? program : ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
  fileExists: (name) => name === file || ts.sys.fileExists(name),
  readFile: (name) => ts.sys.readFile(name),
});

/** The hover text at the end of this code. */
function hover(text: string): { type: string; documentation: string } {
  const position = program.indexOf(text) + text.length - 1;
  const info = service.getQuickInfoAtPosition(file, position);
  return {
    type: ts.displayPartsToString(info?.displayParts),
    documentation: ts.displayPartsToString(info?.documentation),
  };
}

describe('In an editor', () => {
  test('the program has no errors', () => {
    const found = service.getSemanticDiagnostics(file);
    expect(found.map(({ messageText }) => messageText)).toEqual([]);
  });

  test.each([
    ['const agent', 'const agent: Agent'],
    ['const updated', 'const updated: ApiPromise<Agent>'],
    ['const answer', 'const answer: InvocationResult'],
    ['const stream', 'const stream: InvocationStream'],
    ['const job', 'const job: AsyncInvocation'],
    ['const list', 'const list: Pages<AgentSummary>'],
    ['const page', 'const page: Page<AgentSummary>'],
    ['const logs', 'const logs: LogEntry[]'],
    ['const matches', 'const matches: Pages<MemoryMatch>'],
    ['const { data', 'const data: CreatedApiKey'],
    ['declare const event', 'const event: WebhookEvent'],
  ])('%s is shown by its name', (text, type) => {
    expect(hover(text).type).toBe(type);
  });

  test.each([
    [
      'client.agents.list',
      'list: (query?: ListAgentsQuery, options?: RequestOptions) => Pages<AgentSummary>',
    ],
    ['client.logs.list', 'query?: GetLogsQuery'],
    ['client.memory.search', 'body: MemorySearch'],
  ])('%s names its parameters', (text, signature) => {
    expect(hover(text).type).toContain(signature);
  });

  test.each([
    ['[agent.model', 'Agent.model: string', /model/],
    ['agent.status', 'Agent.status: AgentStatus', /./],
    ['answer.tokens_used', 'Invocation.tokens_used: number', /^The sum of input and output tokens/],
    ['{ sort', 'ListAgentsQuery.sort?:', /./],
    ['data.key', 'CreatedApiKey.key: string', /./],
    [
      '{ message',
      'InvocationRequest.message: string',
      /^The user's message\. White space alone is rejected\.$/,
    ],
    ['{ user_id', 'user_id?: string', /^Your id of the user/],
    ['client.agents.get', 'get: (agentId: AgentReference', /^Get an agent/],
  ])('%s is documented', (text, type, documentation) => {
    const shown = hover(text);
    expect(shown.type).toContain(type);
    expect(shown.documentation).toMatch(documentation);
  });

  test('every field of every type is documented, and none is shown by its path in the contract', () => {
    const source = ts.createSourceFile(
      schema,
      ts.sys.readFile(schema) ?? '',
      ts.ScriptTarget.Latest,
      true,
    );
    const undocumented: string[] = [];
    const check = (name: string) => (node: ts.Node) => {
      if (ts.isPropertySignature(node) && ts.getJSDocCommentsAndTags(node).length === 0) {
        undocumented.push(`${name}.${node.name.getText()}`);
      }
      node.forEachChild(check(name));
    };
    const inner = ['paths', 'webhooks', 'components', 'operations', '$defs'];
    const declarations = source.statements.filter(
      (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node),
    );
    const named = declarations.filter(({ name }) => !inner.includes(name.text));
    expect(named.length).toBeGreaterThan(80);
    for (const node of named) node.forEachChild(check(node.name.text));
    expect(undocumented).toEqual([]);
    expect(source.text).not.toContain('components["schemas"]');
  });
});
