/** Providers of PROVIDERS_FILE are usable wherever models are named. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createAccount } from '../../server/accounts/accounts.js';
import { useDatabase } from '../helpers/database/database.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { startTestService, useTenant } from '../helpers/service/service.js';
import { useFixture } from '../helpers/service/fixture.js';
import { message } from '../invocations/service-with-model.js';
import { status } from '../helpers/model-provider/failures.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const provider = useModelProvider();
let providers = '';
const service = useFixture(
  async () => {
    providers = path.join(await temporaryFolder(), 'providers.yaml');
    await writeFile(providers, `lmstudio: {baseUrl: '${provider.url}/v1'}`);
    return startTestService({ PROVIDERS_FILE: providers });
  },
  (started) => started.stop(),
);
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorInProcess(service);

async function manifest(model: string, more = ''): Promise<string> {
  const file = path.join(await temporaryFolder(), 'agent.yaml');
  await writeFile(file, `name: studious\nmodel: ${model}\n${more}`);
  return file;
}

test('in manifests, fallbacks, updates and invocations', async () => {
  const { api } = tenant;
  const file = await manifest('lmstudio/qwen3-8b', 'fallbacks: [lmstudio/other]\n');
  const applied = await operator.run(['agents', 'apply', '-f', file]);
  expect(applied).toMatchObject({ code: 0, stderr: '' });
  provider.behave(status(500), answer(chatCompletions, ['Done.']));
  await api.expect('invokeAgent', 200, message('studious', 'Hi'));
  const models = provider.received.map(({ body }) => String(Reflect.get(Object(body), 'model')));
  expect(models).toEqual(['qwen3-8b', 'other']);
  const update = { path: { agent_id: 'studious' }, body: { model: 'lmstudio/new' } };
  await api.expect('updateAgent', 200, update);
});

test('and are listed for a provider that is unknown', async () => {
  const { id } = await tenant.newAgent();
  const update = { path: { agent_id: id }, body: { model: 'vllm/m' } };
  const { error } = await tenant.api.expect('updateAgent', 400, update);
  expect(JSON.stringify(error)).toContain(
    "provider 'vllm' is unknown; configured: builtin, lmstudio",
  );
  const file = await manifest('vllm/m');
  const { stderr } = await operator.run(['agents', 'apply', '-f', file]);
  expect(stderr).toContain("provider 'vllm' is unknown; configured: builtin, lmstudio");
});

const empty = useDatabase();

test("without a running service, the operator's own file tells which there are", async () => {
  await createAccount(empty.database, { name: 'acme', tier: 'pro' });
  const file = await manifest('lmstudio/qwen3-8b');
  const apply = (environment: Record<string, string>) =>
    operatorInProcess({ database: empty.database, databaseUrl: empty.url }, environment).run([
      'agents',
      'apply',
      '-f',
      file,
    ]);
  expect((await apply({})).stderr).toContain("provider 'lmstudio' is unknown");
  expect(await apply({ PROVIDERS_FILE: providers })).toMatchObject({
    code: 0,
    stderr:
      "Note: no service is running, so it could not be checked that it has the provider 'lmstudio'.\n",
  });
});
