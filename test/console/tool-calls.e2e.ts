/** Tool calls of agents in the console. */
import { describe, expect } from '@jest/globals';
import { browserTest } from '../helpers/programs/browser.js';
import { useToolFixtures } from '../invocations/tool-fixtures.js';
import { sendMessage, signedIn } from './console.js';

const { fixture, shop, newToolAgent, scriptModel } = useToolFixtures();

describe('tool calls', () => {
  browserTest('are shown with their outcome, in the chat and in the log', async (context) => {
    const name = await newToolAgent();
    shop.respond = () => [503, '<b>closed</b>'];
    scriptModel(
      [{ name: 'orders_lookup', arguments: { order_id: '5512' } }],
      [{ name: 'price', arguments: { article: 'a bell' } }],
      'The shop is closed.',
    );
    const { page, pageErrors } = await signedIn(
      context,
      fixture.service.url,
      fixture.tenant.key,
      `agents/${name}/chat`,
    );
    await sendMessage(page, 'What is a bell?');
    await page.getByText('The shop is closed.').first().waitFor();
    const used = page.getByLabel('Tools that the agent used').getByRole('listitem');
    await used
      .nth(1)
      .getByText(/^failed, \d/)
      .waitFor();
    expect(await used.allInnerTexts()).toEqual([
      expect.stringMatching(/^orders_lookup\s+succeeded, \d/),
      expect.stringMatching(/^price\s+failed, \d/),
    ]);
    await page.getByText(/Tool orders_lookup succeeded after/).waitFor();
    await page.getByText(/Tool price failed/).waitFor();
    // Entries have the time at which a step ended, so the start of the request is shown separately.
    const steps = page.getByLabel('Log of the request').getByRole('listitem');
    await steps.nth(3).waitFor();
    const texts = await steps.allInnerTexts();
    expect(texts[0]).toMatch(/^\+0 ms\s+Request started$/);
    expect(texts[1]).toMatch(/Tool orders_lookup called/);
    expect(texts[2]).toMatch(/Tool orders_lookup succeeded/);
    expect(pageErrors).toEqual([]);
  });
});
