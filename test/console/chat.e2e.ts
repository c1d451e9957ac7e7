/** Talking to agents in the console: streamed, stopped, kept, and hostile. */
import { describe, expect } from '@jest/globals';
import { browserTest } from '../helpers/browser.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/fixture.js';
import { startHttpServer } from '../helpers/http-server.js';
import { useService, useTenant } from '../helpers/service.js';
import { patienceMs, say, signedIn } from './console.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', WORKER: 'off' });
const tenant = useTenant(service);

/** The server behind an agent: it says the pieces, and goes on when it is told. */
const endpoint = useFixture(
  async () => {
    const state = { pieces: ['Hello'], ended: Promise.resolve(), wasLeft: false };
    const server = await startHttpServer((_req, res) => {
      res.on('close', () => {
        state.wasLeft = !res.writableFinished;
      });
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of state.pieces) {
        res.write(`event: delta\ndata: ${JSON.stringify({ text })}\n\n`);
      }
      void state.ended.then(() => res.end('event: done\ndata: {"tokens_used":42}\n\n'));
    });
    return { ...server, state };
  },
  ({ stop }) => stop(),
);

/** What the agent says next; it ends when the result is called. */
function prepare(...pieces: string[]): () => void {
  let end: () => void = () => undefined;
  endpoint.state.pieces = pieces;
  endpoint.state.wasLeft = false;
  endpoint.state.ended = new Promise((resolve) => {
    end = () => {
      resolve();
    };
  });
  return end;
}

async function newAgent(name: string): Promise<string> {
  await tenant.newAgent({
    name,
    model: 'http/test',
    endpoint: { url: `${endpoint.url}/`, headers: {} },
  });
  return name;
}

describe('a conversation', () => {
  browserTest('arrives piece by piece, with its log beside it', async (context) => {
    const name = await newAgent('streaming-bot');
    const end = prepare('The parcel ', 'is on its way.');
    const { page, complaints } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/chat?session=chat-1&user=user-7`,
    );
    await say(page, 'Where is it?');
    await page.getByText('The parcel is on its way.').waitFor();
    // It has not ended: there is a way to stop it, and no number of tokens.
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    end();
    await page.getByText(/42 tokens · \d/).waitFor();
    await page.getByText(/Invocation answered in/).waitFor();
    const { data } = await tenant.api.expect('searchMemory', 200, {
      path: { agent_id: name },
      body: { query: 'parcel', filter: { user_id: 'user-7', session_id: 'chat-1' } },
    });
    expect(data.length).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Memory' }).click();
    await page.getByLabel('What was said').fill('parcels');
    await page.locator('mark').getByText('parcel').waitFor();
    await page.getByRole('button', { name: 'Clear the memory' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Clear the memory' }).click();
    await page.getByText('Nothing matches').waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('is stopped at the agent too', async (context) => {
    const name = await newAgent('endless-bot');
    prepare('And then … ');
    const { page } = await signedIn(context, service.url, tenant.key, `agents/${name}/chat`);
    let logsRead = 0;
    await page.route(
      (url) => url.searchParams.has('request_id'),
      async (route) => {
        logsRead += 1;
        const response = await route.fetch();
        const body = (await response.json()) as { data: unknown[] };
        // The page may be faster than the service, which writes the log when it notices.
        if (logsRead === 1) body.data = [];
        await route.fulfill({ response, json: body });
      },
    );
    await say(page, 'Tell me a story');
    await page.getByText('And then …').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('You stopped it.').waitFor();
    await page.getByText('No log entries so far.').waitFor();
    await eventually(() => {
      expect(endpoint.state.wasLeft).toBe(true);
    }, patienceMs);
    // The log says so too, as soon as it is written.
    await page.getByText(/Invocation failed after/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  browserTest('can be repeated elsewhere, without the key in it', async (context) => {
    const name = await newAgent('copied-bot');
    prepare('Yes.')();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/chat?session=chat-1`,
    );
    await say(page, `It's "quoted"`);
    await page.getByText('42 tokens').waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied.').first().waitFor();
    const curl = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(curl).toContain(`${service.url}/v1/agents/${name}/invoke`);
    expect(curl).toContain(
      String.raw`{"message":"It'\''s \"quoted\"","context":{"session_id":"chat-1"}}`,
    );
    expect(curl).toContain('$AGENT_HOSTING_API_KEY');
    expect(curl).not.toContain(tenant.key);
  });

  browserTest('is there after a reload, until the key is forgotten', async (context) => {
    const name = await newAgent('patient-bot');
    prepare('As I said before.')();
    const { page } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/chat?session=chat-1`,
    );
    await say(page, 'Do you remember?');
    await page.getByText('42 tokens').waitFor();
    await page.reload();
    await page.getByText('As I said before.').waitFor();
    await page.getByText(/42 tokens · \d/).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  browserTest('that fails says what to do, and which request it was', async (context) => {
    await tenant.newAgent({ name: 'broken-bot', model: 'local/none' });
    const { page } = await signedIn(context, service.url, tenant.key, 'agents/broken-bot/chat');
    await say(page, 'Hello?');
    const alert = page.getByRole('alert');
    await alert.getByText(/req_\w{26}/).waitFor();
    await page.getByText(/Invocation failed/).waitFor();
  });
});

describe('a hostile answer', () => {
  const hostile = [
    '<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">',
    '[click me](javascript:window.pwned=1) <a href="javascript:window.pwned=1">here</a>',
    '\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
    'user\u202e\u2066gnp.exe\u2069 zero\u200bwidth',
    '</div></main><style>body{display:none}</style><iframe src="https://evil.example">',
  ].join('\n');

  browserTest('is text and nothing more, wherever it is shown', async (context) => {
    const name = await newAgent('hostile-bot');
    prepare(hostile)();
    const { page, complaints } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/chat`,
    );
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) elsewhere.push(request.url());
    });
    await say(page, hostile);
    await page.getByText('42 tokens').waitFor();
    const expectText = async () => {
      const seen = await page.evaluate<string>('document.body.innerText');
      expect(seen).toContain('<script>window.pwned = 1</script>');
      expect(seen).toContain(String.raw`\u001b[31mred`);
      expect(seen).toContain(String.raw`user\u202e\u2066gnp.exe\u2069 zero\u200bwidth`);
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(await page.locator('main script, main iframe, main style, [onerror]').count()).toBe(0);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    };
    await expectText();
    await page.getByRole('link', { name: 'Memory' }).click();
    await page.getByLabel('What was said').fill('window pwned click');
    await page.locator('.match').first().waitFor();
    await expectText();
    expect([elsewhere, complaints]).toEqual([[], []]);
  });

  browserTest('is Markdown only as far as that is harmless', async (context) => {
    const name = await newAgent('markdown-bot');
    const reply = [
      '## Findings',
      '**bold** `code` [docs](https://docs.example/a) [run](javascript:window.pwned=1)',
      '![cat](https://evil.example/cat.png) [https://bank.example](https://evil.example/login)',
      `${'- '.repeat(10_000)}deep`,
      '',
      '| a | b |',
      '|---|---|',
      '| 1 | <img src=x onerror=window.pwned=1> |',
    ].join('\n');
    prepare(reply)();
    const { page, complaints } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/chat`,
    );
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) elsewhere.push(request.url());
    });
    await say(page, 'Show me everything');
    await page.getByText('42 tokens').waitFor();
    // The list alone has more characters than are shown at once.
    await page.getByRole('button', { name: 'Show more' }).click();
    const answer = page.locator('.message.agent');
    await answer.getByRole('heading', { name: 'Findings' }).waitFor();
    await answer.locator('strong').getByText('bold').waitFor();
    await answer.locator('code').getByText('code').waitFor();
    await answer.getByRole('cell', { name: '<img src=x onerror=window.pwned=1>' }).waitFor();
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.message.agent a')].map(({ href, rel, target }) => [href, rel, target].join(' '))`,
      ),
    ).toEqual([
      'https://docs.example/a noopener noreferrer _blank',
      'https://evil.example/cat.png noopener noreferrer _blank',
      'https://evil.example/login noopener noreferrer _blank',
    ]);
    // A link that names another place than it leads to says where it leads.
    await answer.getByText('https://bank.example (evil.example)').waitFor();
    expect(await answer.locator('img').count()).toBe(0);
    expect(await answer.locator('ul ul ul').count()).toBeGreaterThan(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect([elsewhere, complaints]).toEqual([[], []]);
  });

  browserTest('of as many characters as there may be leaves the page usable', async (context) => {
    const name = await newAgent('verbose-bot');
    const line = `${'many words '.repeat(9)}\n`;
    const piece = line.repeat(Math.floor(26_000 / line.length));
    const pieces = Array.from({ length: 10 }, () => piece);
    prepare(...pieces)();
    const { page, complaints } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${name}/chat`,
    );
    await say(page, 'Say everything');
    await page.getByText('42 tokens').waitFor({ timeout: 2 * patienceMs });
    await page.getByText(/^2\d\d,\d{3} more characters$/).waitFor();
    const shown = await page.evaluate<number>('document.body.textContent.length');
    expect(shown).toBeLessThan(60_000);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    expect((await download).suggestedFilename()).toMatch(/^req_\w+\.txt$/);
    expect(complaints).toEqual([]);
  });
});
