/** Configurations in the console: edited as a draft, and compared with the active deployment. */
import { describe, expect } from '@jest/globals';
import { browserTest } from '../helpers/programs/browser.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { insertDeployment } from '../helpers/database/rows.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { insertSchedule } from '../schedules/due-schedules.js';
import { signedIn } from './console.js';

const service = useService({ WORKER: 'off' });
const tenant = useTenant(service);

describe('deployments', () => {
  browserTest('are compared in all settings that they froze', async (context) => {
    const tool = (name: string) => ({
      name,
      description: 'Does it.',
      method: 'POST' as const,
      url: `https://api.acme.example/${name}`,
      parameters: { type: 'object' as const },
      timeout: '10s',
    });
    const options = { tools: { maxSteps: 8, http: [tool('refund'), tool('cancel')] } };
    const { id, name } = await tenant.newAgent({
      name: 'opposite-bot',
      instructions: 'Be kind.\nAlways say yes.',
    });
    await insertDeployment(service.database, id, {
      version: '1.0.0',
      status: 'superseded',
      instructions: 'Be kind.\nAlways say no.',
      options: { ...options, fallbacks: ['builtin/echo'] },
    });
    await insertDeployment(service.database, id, {
      version: '1.1.0',
      instructions: 'Be kind.\nAlways say yes.',
      options: { tools: { maxSteps: 8, http: [tool('refund')] } },
    });
    const { page, pageErrors } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/deployments`,
    );
    const before = page.getByRole('row', { name: '1.0.0' });
    await before.getByText('tools.http.cancel').waitFor();
    await before.getByText('fallbacks').waitFor();
    await before.getByText('1 line removed, 1 line added').click();
    await before.locator('del').getByText('Always say yes.').waitFor();
    await before.locator('ins').getByText('Always say no.').waitFor();
    // The draft has no tools.
    await page.getByText('Compared with the active 1.1.0').waitFor();
    await page.locator('.deploy-form').getByText('tools.http.refund').waitFor();
    await page.getByLabel('Environment').fill('staging');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('row', { name: 'staging' }).getByText('active', { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('settings', () => {
  browserTest('show schedules, with a link to the log of the last run', async (context) => {
    const { id, name } = await tenant.newAgent({ name: 'reporter' });
    const agent = { accountId: tenant.accountId, agentId: id };
    await insertSchedule(service.database, agent, { name: 'nightly-report' });
    await insertSchedule(service.database, agent, {
      name: 'weekly-report',
      cron: '0 3 * * MON',
      timezone: 'Europe/Paris',
      nextAt: null,
    });
    const { page, pageErrors } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/settings`,
    );
    const nightly = page.getByRole('row', { name: 'nightly-report' });
    await nightly.getByText('Report.').waitFor();
    const weekly = page.getByRole('row', { name: 'weekly-report' });
    await weekly.getByText('paused').waitFor();
    await weekly.getByText('Europe/Paris').waitFor();
    await weekly.getByText('none yet').waitFor();
    // The page reads the agent again every 15 seconds.
    await nightly.getByText('succeeded').waitFor();
    await nightly.getByRole('link').click();
    await page.getByText('Invocation answered').first().waitFor();
    expect(pageErrors).toEqual([]);
  });

  browserTest(
    'edit the instructions, and show the differences from the active version',
    async (context) => {
      const { id, name } = await tenant.newAgent({
        name: 'prompted-bot',
        instructions: 'Be kind.\nBe <b>brief</b>.',
        historyLimit: 7,
        options: { reasoning: 'low', maxOutputTokens: 4_321, historyTokens: 9_000 },
        policy: { roles: { viewer: ['read'] } },
      });
      await deploymentCalls(tenant).deploy(id, '1.0.0');
      const { page, pageErrors } = await signedIn(
        context,
        service.url,
        tenant.key,
        `agents/${name}/settings`,
      );
      await page.getByText('The saved draft is identical to version 1.0.0').waitFor();
      const instructions = page.getByLabel('Instructions');
      expect(await instructions.inputValue()).toBe('Be kind.\nBe <b>brief</b>.');
      const manifest = page.locator('section', { hasText: 'Set by the manifest' });
      await manifest.getByText('history', { exact: true }).waitFor();
      await manifest.getByText('viewer').waitFor();
      const terms = await manifest.locator('dt').allInnerTexts();
      expect(terms).toEqual(
        expect.arrayContaining(['maxOutputTokens', 'reasoning', 'historyTokens']),
      );
      await manifest.getByText('4321').waitFor();
      // Another client changes the temperature meanwhile; saving the instructions does not undo it.
      await instructions.fill('Be kind.\nAnswer at length.');
      await tenant.api.expect('updateAgent', 200, {
        path: { agent_id: id },
        body: { temperature: 0.1 },
      });
      await page.getByRole('button', { name: 'Save the draft' }).click();
      await page.getByText('The draft was saved.').waitFor();
      await page.getByText('The saved draft differs from the active version 1.0.0').waitFor();
      const differences = page.getByLabel('Differences from the active deployment');
      await differences.locator('del').getByText('Be <b>brief</b>.').waitFor();
      await differences.locator('ins').getByText('Answer at length.').waitFor();
      await differences.locator('ins').getByText('0.1').waitFor();
      const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
      expect(data).toMatchObject({
        instructions: 'Be kind.\nAnswer at length.',
        temperature: 0.1,
      });
      expect(pageErrors).toEqual([]);
    },
  );

  browserTest('are read-only for a key that may only read', async (context) => {
    const { name } = await tenant.newAgent({ name: 'watched-bot', instructions: 'Be quiet.' });
    const { key } = await tenant.newKey({ permissions: ['read'] });
    const { page } = await signedIn(context, service.url, key, `agents/${name}/settings`);
    const instructions = page.getByLabel('Instructions');
    await instructions.waitFor();
    expect(await instructions.inputValue()).toBe('Be quiet.');
    expect(await instructions.isEditable()).toBe(false);
  });
});
