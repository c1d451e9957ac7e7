/** Signing in to the console with valid, invalid and limited keys. */
import { describe, expect } from '@jest/globals';
import { browserTest } from '../helpers/programs/browser.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { enterKey, openConsole, signedIn } from './console.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant, { name: 'support-bot' });

describe('signing in', () => {
  browserTest('opens the requested page, and signing out removes the key', async (context) => {
    const { page, pageErrors } = await openConsole(
      context,
      service.url,
      'agents/support-bot/settings',
    );
    await enterKey(page, tenant.key);
    await page.getByRole('heading', { name: 'Draft configuration' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  browserTest('keeps the key in memory, and in the tab only on request', async (context) => {
    const { page } = await openConsole(context, service.url);
    await page.getByLabel('API key').fill(tenant.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    const everywhere = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`;
    expect(await page.evaluate(everywhere)).not.toContain(tenant.key);
    await page.reload();
    await enterKey(page, tenant.key);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toContain(tenant.key);
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(tenant.key);
    await page.reload();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
  });

  browserTest('says what is wrong with a key that cannot be used', async (context) => {
    const expired = await tenant.newKey({ expiresAt: new Date(Date.now() - 60_000) });
    const { page } = await openConsole(context, service.url);
    const cases: [string, string][] = [
      ['', 'Paste a key.'],
      ['sk-of-another-service', 'keys begin with ahs_'],
      [tenant.key.slice(0, -3), 'this has 47'],
      [`ahs_${'x'.repeat(46)}`, 'it is unknown, has expired, or was revoked'],
      [expired.key, 'it is unknown, has expired, or was revoked'],
    ];
    for (const [key, message] of cases) {
      await enterKey(page, key);
      await page.getByRole('alert').getByText(message).waitFor();
    }
    // White space around a key is ignored.
    await enterKey(page, `  ${tenant.key}\n`);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
  });

  browserTest('ends with a message when the key is revoked', async (context) => {
    const { id, key } = await tenant.newKey({ name: 'Soon gone' });
    const address = 'agents/support-bot/memory?q=parcel';
    const { page } = await signedIn(context, service.url, key, address);
    await page.getByText('Nothing matches').waitFor();
    await tenant.api.expect('revokeApiKey', 200, { path: { key_id: id } });
    // The next refresh notices.
    await page.getByText('it has expired or was revoked').waitFor();
    await enterKey(page, tenant.key);
    // The address still has the search.
    await page.getByText('Nothing matches').waitFor();
  });
});

describe('a limited key', () => {
  browserTest('that may read shows which actions it may not perform', async (context) => {
    const { key } = await tenant.newKey({ permissions: ['read'] });
    const { page, open } = await signedIn(context, service.url, key, `agents/${agent.name}/chat`);
    const lacks = (permission: string) => `This key lacks the permission '${permission}'.`;
    await page.getByRole('button', { name: `Send : ${lacks('write')}` }).waitFor();
    await page
      .getByLabel('Message to support-bot')
      .fill('Hello', { force: true })
      .catch(() => undefined);
    expect(await page.getByLabel('Message to support-bot').inputValue()).toBe('');
    await open(`agents/${agent.name}/settings`);
    const remove = page.getByRole('button', { name: `Delete support-bot : ${lacks('delete')}` });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    await remove.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await open('webhooks');
    await page.getByRole('button', { name: `New webhook : ${lacks('write')}` }).waitFor();
    await open('keys');
    await page.getByText('This key may not see keys').waitFor();
  });

  browserTest('that may write can chat with an agent but see nothing else', async (context) => {
    const { key } = await tenant.newKey({ permissions: ['write'] });
    const { page, open } = await signedIn(context, service.url, key, 'agents');
    await page.getByText('This key may not see agents').waitFor();
    await open(`agents/${agent.name}/chat`);
    await page.getByLabel('Message to support-bot').fill('Hello there');
    await page.keyboard.press('Enter');
    await page.locator('.message.agent').getByText('Hello there').waitFor();
    await page.getByText('This key may not read logs').waitFor();
  });
});
