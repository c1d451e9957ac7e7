/** Agents that use tools, in the console: what a person sees of their calls. */
import { describe, expect } from '@jest/globals';
import { browserTest } from '../helpers/browser.js';
import { useActors } from '../invoke/acting.js';
import { say, signedIn } from './console.js';

const { world, shop, newActor, plays } = useActors();

describe('the tools that an agent uses', () => {
  browserTest('are shown with how they ended, and what the log says of them', async (context) => {
    const name = await newActor();
    shop.respond = () => [503, '<b>closed</b>'];
    plays(
      [{ name: 'orders_lookup', arguments: { order_id: '5512' } }],
      [{ name: 'price', arguments: { article: 'a bell' } }],
      'The shop is closed.',
    );
    const { page, complaints } = await signedIn(
      context,
      world.service.url,
      world.tenant.key,
      `agents/${name}/chat`,
    );
    await say(page, 'What is a bell?');
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
    // Each entry is at the time at which something ended, so the first of them is not the beginning.
    const story = page.getByLabel('Log of the request').getByRole('listitem');
    await story.nth(3).waitFor();
    const offsets = await story.allInnerTexts();
    expect(offsets[0]).toMatch(/^\+0 ms\s+The request began\.$/);
    expect(offsets[1]).toMatch(/Tool orders_lookup succeeded/);
    expect(complaints).toEqual([]);
  });
});
