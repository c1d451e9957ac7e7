/** Common tasks in the console, in a real browser against a live service. */
import { describe, expect } from '@jest/globals';
import { enrol } from '../../server/access/one-time-code.js';
import { readEnrolment, waitForFreshCode } from '../helpers/crypto/authenticator.js';
import { browserTest } from '../helpers/programs/browser.js';
import { eventually } from '../helpers/eventually.js';
import { insertEvent } from '../helpers/database/events.js';
import { recordHistory } from '../helpers/database/history.js';
import { testSecrets, useService, useTenant } from '../helpers/service/service.js';
import { colouredPixels, slowTimeoutMs, signedIn } from './console.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', WORKER: 'off' });
const tenant = useTenant(service);

/** Invocations in the last hours, every tenth of which failed. */
async function agentWithHistory(name: string): Promise<{ id: string; name: string }> {
  const agent = await tenant.newAgent({ name });
  const owner = { accountId: tenant.accountId, agentId: agent.id };
  await recordHistory(
    service.database,
    owner,
    Array.from({ length: 60 }, (_, index) => {
      const at = Date.now() - 60_000 * (1 + 5 * index);
      const failed = index % 10 === 0;
      const level = failed ? ('error' as const) : ('info' as const);
      return {
        at,
        durationMs: 200 + 10 * index,
        failed,
        logs: [{ at, level, message: `Entry number ${index}` }],
      };
    }),
  );
  return agent;
}

describe('agents', () => {
  browserTest(
    'are listed with their version and their traffic in the last hour',
    async (context) => {
      await agentWithHistory('busy-bot');
      await tenant.newAgent({ name: 'quiet-bot' });
      const { page, pageErrors } = await signedIn(context, service.url, tenant.key, 'agents');
      const row = page.getByRole('row', { name: 'busy-bot' });
      await row.getByRole('img', { name: /^1[12] invocations in the last hour$/ }).waitFor();
      await row.getByRole('img', { name: '2 errors in the last hour' }).waitFor();
      await row.getByText('draft').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('quiet');
      await row.waitFor({ state: 'detached' });
      expect(page.url()).toContain('q=quiet');
      await page.getByLabel('Search by name').fill('');
      await page.getByLabel('Sort').selectOption('Name, A to Z');
      const first = page.getByRole('row').nth(1);
      await first.getByText('busy-bot').waitFor();
      await page.getByText(/of 20,000/).waitFor();
      expect(pageErrors).toEqual([]);
    },
  );
});

describe('deployments', () => {
  browserTest('are created from the draft, compared, and rolled back', async (context) => {
    const { name } = await tenant.newAgent({ name: 'shipping-bot', temperature: 0.5 });
    const { page, open, pageErrors } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/deployments`,
    );
    await page.getByRole('heading', { name: 'Nothing is deployed yet' }).waitFor();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('button', { name: 'Deploy 1.0.0' }).click();
    await page.getByRole('row', { name: '1.0.0' }).getByText('active', { exact: true }).waitFor();
    await open(`agents/${name}/settings`);
    await page.getByLabel('Temperature').fill('0.9');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('The draft was saved.').waitFor();
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByText('Compared with the active 1.0.0').waitFor();
    await page.locator('ins').getByText('0.9').waitFor();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    const question = page.getByRole('dialog');
    await question.getByText('Deploy version 1.0.1 to production?').waitFor();
    await question.getByText('in place of version 1.0.0').waitFor();
    await question.locator('ins').getByText('0.9').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    const { data } = await tenant.api.expect('listDeployments', 200, { path: { agent_id: name } });
    expect(data.map(({ version }) => version)).toEqual(['1.0.0']);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('button', { name: 'Deploy 1.0.1' }).click();
    await page.getByRole('row', { name: '1.0.1' }).getByText('active', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByText('Roll back version 1.0.1?').waitFor();
    await page.getByRole('button', { name: 'Roll back 1.0.1' }).click();
    await page.getByRole('row', { name: '1.0.1' }).getByText('rolled back').waitFor();
    await page.getByRole('row', { name: '1.0.0' }).getByText('active', { exact: true }).waitFor();
    // If the label is taken, the error says what to do and shows the request id.
    await page.getByLabel('Version').fill('1.0.0');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('button', { name: 'Deploy 1.0.0' }).click();
    await page.getByRole('alert').getByText('Choose another label').waitFor();
    await page
      .getByRole('alert')
      .getByText(/req_\w+/)
      .waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('logs', () => {
  browserTest('are followed, and filtered by level, text and request', async (context) => {
    const { id, name } = await agentWithHistory('logged-bot');
    const { page, pageErrors } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/logs`,
    );
    const rows = page.getByLabel('Log entries').getByRole('option');
    await rows.getByText('Entry number 0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message: 'Hello' },
    });
    await rows.getByText('Invocation answered').waitFor();
    await page.getByLabel('Level').selectOption('error');
    await rows.getByText('Invocation answered').waitFor({ state: 'detached' });
    await rows.getByText('Entry number 10').waitFor();
    await page.getByLabel('Filter by text').fill('number 2');
    await rows.getByText('Entry number 10').waitFor({ state: 'detached' });
    await rows.getByText('Entry number 20').click();
    expect(page.url()).toMatch(/level=error.*q=number/);
    await page.getByRole('link', { name: 'All entries of this request' }).click();
    await page.getByRole('heading', { name: /^Request req_/ }).waitFor();
    await page.getByText('Entry number 20').waitFor();
    await page.goBack();
    await rows.getByText('Entry number 20').waitFor();
    expect(pageErrors).toEqual([]);
  });

  browserTest(
    'of ten thousand entries keep only the visible ones in the document',
    async (context) => {
      const { id, name } = await tenant.newAgent({ name: 'talkative-bot' });
      const start = Date.now();
      await recordHistory(
        service.database,
        { accountId: tenant.accountId, agentId: id },
        Array.from({ length: 20 }, (_, block) => ({
          at: start,
          durationMs: 1,
          failed: false,
          logs: Array.from({ length: 500 }, (__, index) => {
            const number = block * 500 + index + 1;
            return {
              at: start - number * 1_000,
              level: 'info' as const,
              message: `Entry number ${number}`,
            };
          }),
        })),
      );
      const { page } = await signedIn(context, service.url, tenant.key, `agents/${name}/logs`);
      const list = page.getByLabel('Log entries');
      await list.getByText('Entry number 1', { exact: true }).waitFor();
      await list.focus();
      // End goes to the last entry read so far, which loads more.
      await eventually(async () => {
        await page.keyboard.press('End');
        await list.getByText('Entry number 10000').waitFor({ timeout: 1_000 });
      }, slowTimeoutMs);
      expect(await list.getByRole('option').count()).toBeLessThan(80);
      await page.getByText('10,000 shown, 10,000 in the log').waitFor();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await page.getByLabel('Selected entry').getByText('Entry number 2').waitFor();
    },
  );
});

describe('metrics', () => {
  browserTest('are drawn as charts, and zoomed by dragging', async (context) => {
    const { name } = await agentWithHistory('measured-bot');
    const { page, pageErrors } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/metrics?range=6h`,
    );
    await page.locator('.chart canvas').nth(3).waitFor();
    await page.getByText('6 (10 %)').waitFor();
    for (const chart of [0, 1, 2, 3]) {
      await eventually(async () => {
        expect(await colouredPixels(page, chart)).toBeGreaterThan(200);
      }, slowTimeoutMs);
    }
    const box = await page.locator('.u-over').first().boundingBox();
    if (!box) throw new Error('The chart has no area.');
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.5, middle);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, middle, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/start=.*end=/);
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await page.getByLabel('Time range').selectOption('Last hour');
    await page.getByText('2 (1').waitFor();
    expect(pageErrors).toEqual([]);
  });

  browserTest('of an agent without invocations say what to do', async (context) => {
    const { name } = await tenant.newAgent({ name: 'new-bot' });
    const { page } = await signedIn(context, service.url, tenant.key, `agents/${name}/metrics`);
    await page.getByText('No invocations in this range').waitFor();
  });
});

describe('settings', () => {
  browserTest('ask for a one-time code if the agent requires one', async (context) => {
    const policy = { mfa: { enabled: true, operations: ['update', 'delete'] } };
    const { id, name } = await tenant.newAgent({ name: 'guarded-bot', policy });
    const authenticator = readEnrolment(
      await service.database.transaction((transaction) =>
        enrol(transaction, testSecrets, {
          id,
          accountId: tenant.accountId,
          name,
          account: 'acme',
        }),
      ),
    );
    const { page } = await signedIn(context, service.url, tenant.key, `agents/${name}/settings`);
    await page.getByLabel('Temperature').fill('0.25');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    const code = page.getByLabel('Six digits');
    await code.fill(authenticator.wrongCode());
    await page.keyboard.press('Enter');
    await page.getByText('That code was not accepted').waitFor();
    await waitForFreshCode();
    await code.fill(authenticator.code());
    await page.keyboard.press('Enter');
    await page.getByText('The draft was saved.').waitFor();
    const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(data.temperature).toBe(0.25);
  });

  browserTest('delete an agent only after its name is typed', async (context) => {
    const { id, name } = await tenant.newAgent({ name: 'old-bot' });
    const { page } = await signedIn(context, service.url, tenant.key, `agents/${name}/settings`);
    await page.getByRole('button', { name: 'Delete old-bot' }).click();
    const confirm = page.getByRole('button', { name: 'Delete the agent' });
    await page.getByLabel('Type old-bot to confirm').fill('new-bot');
    expect(await confirm.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Type old-bot to confirm').fill('old-bot');
    await confirm.click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await tenant.api.expect('getAgent', 404, { path: { agent_id: id } });
  });
});

describe('webhooks and keys', () => {
  browserTest('a webhook shows its secret once, and is deleted', async (context) => {
    const { page, pageErrors } = await signedIn(context, service.url, tenant.key, 'webhooks');
    await page.getByText('No webhooks').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL').fill('https://hooks.acme.example/agents');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.getByText(/^whsec_/).count()).toBe(0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('https://hooks.acme.example/agents').waitFor();
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByText('No webhooks').waitFor();
    expect(pageErrors).toEqual([]);
  });

  browserTest(
    'a webhook shows the outcome of its last delivery, and the time of the next attempt',
    async (context) => {
      const { data } = await tenant.api.expect('createWebhook', 201, {
        body: { url: 'https://down.acme.example/hook', events: ['agent.completed'] },
      });
      const dueAt = new Date(Date.now() + 300_000);
      const delivery = {
        accountId: tenant.accountId,
        agentId: 'agent',
        webhookIds: [data.id],
        dueAt,
      };
      await insertEvent(service.database, delivery);
      await service.database.prisma.delivery.updateMany({
        where: { webhookId: data.id },
        data: {
          attempts: 2,
          lastAttemptAt: new Date(),
          lastStatusCode: 503,
          lastError: 'The receiver answered 503.',
        },
      });
      const { page, pageErrors } = await signedIn(context, service.url, tenant.key, 'webhooks');
      const row = page.getByRole('row', { name: 'down.acme.example' });
      await row.getByText('pending').waitFor();
      await row.getByText(/^HTTP 503, .*, 2 attempts$/).waitFor();
      await row.getByText(/^The receiver answered 503\. Next attempt in /).waitFor();
      await row.locator(`time[datetime="${dueAt.toISOString()}"]`).waitFor();
      await tenant.api.expect('deleteWebhook', 200, { path: { webhook_id: data.id } });
      expect(pageErrors).toEqual([]);
    },
  );

  browserTest('a key is created, works, and is revoked', async (context) => {
    const { page } = await signedIn(context, service.url, tenant.key, 'keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Dashboards');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = await page.getByText(/^ahs_\w{46}$/).innerText();
    await service.api(key).expect('listAgents', 200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('row', { name: 'Dashboards' });
    await row.getByText('in 90 days').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText('Dashboards').waitFor();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await row.waitFor({ state: 'detached' });
    await eventually(async () => {
      expect((await service.api(key).call('listAgents')).status).toBe(401);
    }, slowTimeoutMs);
  });
});
