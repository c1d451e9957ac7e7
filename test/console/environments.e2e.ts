/** Environments in the console: the draft is tried, and what is said there is shown apart. */
import { expect } from '@jest/globals';
import { browserTest } from '../helpers/programs/browser.js';
import { insertDeployment } from '../helpers/database/rows.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { sendMessage, signedIn } from './console.js';

const service = useService({ WORKER: 'off' });
const tenant = useTenant(service);

browserTest('the chat is a conversation of its own in each environment', async (context) => {
  const { id, name } = await tenant.newAgent({ name: 'tried-bot' });
  await insertDeployment(service.database, id, { environment: 'staging' });
  await insertDeployment(service.database, id, { environment: 'canary', status: 'rolled_back' });
  const { page, pageErrors, open } = await signedIn(
    context,
    service.url,
    tenant.key,
    `agents/${name}/settings`,
  );
  await page.getByRole('link', { name: 'Try the draft' }).click();
  const environment = page.getByLabel('Environment');
  expect(await environment.inputValue()).toBe('draft');
  await page.getByRole('option', { name: 'staging' }).waitFor({ state: 'attached' });
  expect(await environment.getByRole('option').allInnerTexts()).toEqual([
    'production',
    'draft',
    'staging',
  ]);
  await sendMessage(page, 'Said to the draft');
  const log = page.getByRole('log', { name: 'Conversation' });
  await page.getByText(/\d tokens.* · \d/).waitFor();
  await environment.selectOption('staging');
  await page.getByText(`Send a message to ${name}`).waitFor();
  await sendMessage(page, 'Said in staging');
  await page.getByText(/\d tokens.* · \d/).waitFor();
  expect(await log.innerText()).not.toContain('draft');
  await environment.selectOption('production');
  await page.getByText(`Send a message to ${name}`).waitFor();
  expect(new URL(page.url()).searchParams.has('environment')).toBe(false);
  // A reload keeps them apart, too.
  const session = new URL(page.url()).searchParams.get('session') ?? '';
  await open(`agents/${name}/chat?session=${session}&environment=draft`);
  await page.getByText('Said to the draft').first().waitFor();
  expect(await log.innerText()).not.toContain('staging');
  const { data } = await tenant.api.expect('searchMemory', 200, {
    path: { agent_id: name },
    body: { query: 'said', filter: { session_id: session } },
  });
  expect(data.map(({ content, metadata }) => [content, metadata.environment])).toEqual(
    expect.arrayContaining([
      ['Said to the draft', 'draft'],
      ['Said in staging', 'staging'],
    ]),
  );
  expect(pageErrors).toEqual([]);
});

browserTest('logs and metrics are of one environment, if it is chosen', async (context) => {
  const { id, name } = await tenant.newAgent({ name: 'watched-bot' });
  const path = { agent_id: id };
  for (const environment of ['production', 'draft', 'draft']) {
    await tenant.api.expect('invokeAgent', 200, { path, body: { message: 'Hi', environment } });
  }
  const { page, pageErrors, open } = await signedIn(
    context,
    service.url,
    tenant.key,
    `agents/${name}/logs`,
  );
  await page.getByText('3 shown, 3 in the log').waitFor();
  await page.getByLabel('Environment').selectOption('draft');
  await page.getByText('2 shown, 2 in the log').waitFor();
  await page.getByLabel('Environment').selectOption('production');
  await page.getByText('1 shown, 1 in the log').waitFor();
  await open(`agents/${name}/metrics?environment=draft`);
  const invocations = page.locator('.totals div', { hasText: 'Invocations' });
  await invocations.getByText('2', { exact: true }).waitFor();
  await page.getByLabel('Environment').selectOption('');
  await invocations.getByText('3', { exact: true }).waitFor();
  expect(pageErrors).toEqual([]);
});

browserTest('a version is loaded into the draft', async (context) => {
  const { id, name } = await tenant.newAgent({ name: 'loaded-bot', instructions: 'Be brief.' });
  await insertDeployment(service.database, id, {
    version: '1.0.0',
    temperature: 0.3,
    instructions: 'Be kind.',
    timeoutMs: 5_000,
  });
  const { page, pageErrors } = await signedIn(
    context,
    service.url,
    tenant.key,
    `agents/${name}/deployments`,
  );
  await page.getByRole('button', { name: 'Load into the draft' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Its other settings stay as the manifest sets them.').waitFor();
  await dialog.locator('ins').getByText('Be kind.').waitFor();
  expect(await dialog.innerText()).not.toContain('timeout');
  await dialog.getByRole('button', { name: 'Load 1.0.0' }).click();
  await page
    .getByText('The draft has the model, temperature and instructions of version 1.0.0.')
    .waitFor();
  const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
  expect(data).toMatchObject({
    instructions: 'Be kind.',
    temperature: 0.3,
    settings: { timeout: '60s' },
  });
  expect(pageErrors).toEqual([]);
});
