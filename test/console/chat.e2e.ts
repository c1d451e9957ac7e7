/** The chat in the console: streamed, stopped and stored conversations, and hostile replies. */
import { describe, expect } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { browserTest } from '../helpers/programs/browser.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { serverSentEvent } from '../client/stub-server.js';
import {
  answerInvocations,
  type Console,
  sendMessage,
  signedIn,
  slowTimeoutMs,
  streamOf,
} from './console.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', WORKER: 'off' });
const tenant = useTenant(service);

/** The endpoint of an agent: sends the pieces of a reply, and ends it when `ended` resolves. */
const endpoint = useFixture(
  async () => {
    const state = { pieces: ['Hello'], ended: Promise.resolve(), wasAborted: false };
    const server = await startHttpServer((_req, res) => {
      res.on('close', () => {
        state.wasAborted = !res.writableFinished;
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

/** Sets the next reply; it ends when the returned function is called. */
function prepareReply(...pieces: string[]): () => void {
  let end: () => void = () => undefined;
  endpoint.state.pieces = pieces;
  endpoint.state.wasAborted = false;
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

/** Opens the chat of an agent, and records requests to other servers than the service. */
async function openChat(
  context: BrowserContext,
  name: string,
  query = '',
): Promise<Console & { foreignRequests: string[] }> {
  const address = `agents/${name}/chat${query}`;
  const opened = await signedIn(context, service.url, tenant.key, address);
  const foreignRequests: string[] = [];
  opened.page.on('request', (request) => {
    if (!request.url().startsWith(service.url)) foreignRequests.push(request.url());
  });
  return { ...opened, foreignRequests };
}

describe('a conversation', () => {
  browserTest('arrives piece by piece, with its log beside it', async (context) => {
    const name = await newAgent('streaming-bot');
    const end = prepareReply('The parcel ', 'is on its way.');
    const { page, pageErrors } = await openChat(context, name, '?session=chat-1&user=user-7');
    await sendMessage(page, 'Where is it?');
    await page.getByText('The parcel is on its way.').waitFor();
    // The reply has not ended: it can be stopped, and has no token count.
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
    expect(pageErrors).toEqual([]);
  });

  browserTest('that is stopped also stops the agent', async (context) => {
    const name = await newAgent('endless-bot');
    prepareReply('And then … ');
    const { page } = await openChat(context, name);
    let logsRead = 0;
    await page.route(
      (url) => url.searchParams.has('request_id'),
      async (route) => {
        logsRead += 1;
        const response = await route.fetch();
        const body = (await response.json()) as { data: unknown[] };
        // The first response is empty: the page may be faster than the service writes the log.
        if (logsRead === 1) body.data = [];
        await route.fulfill({ response, json: body });
      },
    );
    await sendMessage(page, 'Tell me a story');
    await page.getByText('And then …').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('You stopped the reply.').waitFor();
    await page.getByText('No log entries yet.').waitFor();
    await eventually(() => {
      expect(endpoint.state.wasAborted).toBe(true);
    }, slowTimeoutMs);
    // The log appears as soon as it is written.
    await page.getByText(/Invocation failed after/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  browserTest('can be copied as code that does not contain the key', async (context) => {
    const name = await newAgent('copied-bot');
    prepareReply('Yes.')();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = await openChat(context, name, '?session=chat-1');
    await sendMessage(page, `It's "quoted"`);
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

  browserTest('survives a reload, until the user signs out', async (context) => {
    const name = await newAgent('patient-bot');
    prepareReply('As I said before.')();
    const { page } = await openChat(context, name, '?session=chat-1');
    await sendMessage(page, 'Do you remember?');
    await page.getByText('42 tokens').waitFor();
    await page.reload();
    await page.getByText('As I said before.').waitFor();
    await page.getByText(/42 tokens · \d/).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  browserTest('that fails shows what to do, and the request id', async (context) => {
    await tenant.newAgent({ name: 'broken-bot', model: 'local/none' });
    const { page } = await openChat(context, 'broken-bot');
    await sendMessage(page, 'Hello?');
    const alert = page.getByRole('alert');
    await alert.getByText(/req_\w{26}/).waitFor();
    await page.getByText(/Invocation failed/).waitFor();
  });
});

const result = {
  response: 'The parcel is',
  request_id: 'req_1',
  tokens_used: 1_312,
  duration_ms: 940,
  status: 'completed',
  usage: { input_tokens: 1_280, output_tokens: 32 },
};
const invocationDone = (finish_reason: string) =>
  streamOf(serverSentEvent('done', { ...result, finish_reason }, 'req_1.1'));

describe('a reply', () => {
  browserTest('that ended early says so, also after a reload', async (context) => {
    const name = await newAgent('cut-bot');
    const { page, pageErrors } = await openChat(context, name, '?session=chat-1');
    const replies = page.locator('.message.agent');
    const notes = {
      length: 'The reply is cut: the model reached its output limit.',
      content_filter: "The reply is incomplete: the provider's content filter stopped it.",
      steps: 'The reply may be incomplete: the agent reached its limit of steps and had to answer.',
    };
    for (const [index, [reason, note]] of Object.entries(notes).entries()) {
      await answerInvocations(page, invocationDone(reason));
      await sendMessage(page, 'Where is it?');
      await replies.nth(index).getByText(note).waitFor();
      await page.getByText('1,312 tokens (1,280 in, 32 out) · 940 ms').nth(index).waitFor();
    }
    await answerInvocations(page, invocationDone('stop'));
    await sendMessage(page, 'And now?');
    await page.getByText('1,312 tokens').nth(3).waitFor();
    expect(await page.getByText('The reply').count()).toBe(3);
    await page.reload();
    await page.getByText(notes.steps).waitFor();
    expect(pageErrors).toEqual([]);
  });

  browserTest('that failed and must not be repeated is requested once', async (context) => {
    const name = await newAgent('final-bot');
    const { page, pageErrors } = await openChat(context, name);
    const error = { code: 'upstream_error', message: 'The model failed.', retryable: false };
    const alerts = page.getByRole('alert');
    const advice = 'Send the message again only if their effects may happen a second time.';
    const asResponse = await answerInvocations(page, {
      status: 502,
      contentType: 'application/json',
      body: JSON.stringify({ success: false, error }),
    });
    await sendMessage(page, 'Refund it');
    await alerts.nth(0).getByText(advice).waitFor();
    expect(asResponse()).toBe(1);
    const asEvent = await answerInvocations(page, streamOf(serverSentEvent('error', error)));
    await sendMessage(page, 'Refund it');
    await alerts.nth(1).getByText(advice).waitFor();
    expect(asEvent()).toBe(1);
    // Its instance was lost after a tool call: a repeat goes on with the run, and shows the call once. If none gets there, the advice is the
    // same, because a tool was called.
    const call = { call_id: 'call_1', name: 'refund', status: 'started' };
    const busy = { code: 'unavailable', message: 'The provider is busy.', retry_after: 1 };
    const afterCall = await answerInvocations(
      page,
      streamOf(serverSentEvent('tool', call, 'req_1.1'), serverSentEvent('error', busy, 'req_1.2')),
    );
    await sendMessage(page, 'Refund it');
    await alerts.nth(2).getByText(advice).waitFor();
    expect(afterCall()).toBe(3);
    expect(await page.getByText('refund', { exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: /again/i }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  browserTest('is not requested for a blank message', async (context) => {
    const name = await newAgent('quiet-bot');
    const { page } = await openChat(context, name);
    const requests = await answerInvocations(page, invocationDone('stop'));
    for (const blank of [' ', '\n\n', ' \t\u00a0']) await sendMessage(page, blank);
    await sendMessage(page, 'Hello');
    await page.getByText('1,312 tokens').waitFor();
    expect(requests()).toBe(1);
  });
});

describe('a hostile reply', () => {
  const hostile = [
    '<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">',
    '[click me](javascript:window.pwned=1) <a href="javascript:window.pwned=1">here</a>',
    '\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
    'user\u202e\u2066gnp.exe\u2069 zero\u200bwidth',
    '</div></main><style>body{display:none}</style><iframe src="https://evil.example">',
  ].join('\n');

  browserTest('is shown as text on every page', async (context) => {
    const name = await newAgent('hostile-bot');
    prepareReply(hostile)();
    const { page, pageErrors, foreignRequests } = await openChat(context, name);
    await sendMessage(page, hostile);
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
    expect([foreignRequests, pageErrors]).toEqual([[], []]);
  });

  browserTest('is rendered as Markdown only where that is harmless', async (context) => {
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
    prepareReply(reply)();
    const { page, pageErrors, foreignRequests } = await openChat(context, name);
    await sendMessage(page, 'Show me everything');
    await page.getByText('42 tokens').waitFor();
    // The list alone is longer than the part that is shown first.
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
    // A link whose text names another host shows the host of its target.
    await answer.getByText('https://bank.example (evil.example)').waitFor();
    expect(await answer.locator('img').count()).toBe(0);
    expect(await answer.locator('ul ul ul').count()).toBeGreaterThan(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect([foreignRequests, pageErrors]).toEqual([[], []]);
  });

  browserTest('of the largest size leaves the page usable', async (context) => {
    const name = await newAgent('verbose-bot');
    const line = `${'many words '.repeat(9)}\n`;
    const piece = line.repeat(Math.floor(26_000 / line.length));
    const pieces = Array.from({ length: 10 }, () => piece);
    prepareReply(...pieces)();
    const { page, pageErrors } = await openChat(context, name);
    await sendMessage(page, 'Say everything');
    await page.getByText('42 tokens').waitFor({ timeout: 2 * slowTimeoutMs });
    await page.getByText(/^2\d\d,\d{3} more characters$/).waitFor();
    const shown = await page.evaluate<number>('document.body.textContent.length');
    expect(shown).toBeLessThan(60_000);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    expect((await download).suggestedFilename()).toMatch(/^req_\w+\.txt$/);
    expect(pageErrors).toEqual([]);
  });
});
