/** `chat`: a conversation in a terminal or by lines, which continues after errors and Ctrl-C. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test as always } from '@jest/globals';
import {
  dataResponse,
  errorResponse,
  eventStream,
  finalErrorResponse,
  type Responder,
  serverSentEvent,
  useStubServer,
} from '../client/stub-server.js';
import { eventually } from '../helpers/eventually.js';
import { firstUnprintable, hostileName } from '../helpers/text/unprintable.js';
import { canOpenTerminals, exampleKey, type RunningCommand, useShell } from './shell.js';

const server = useStubServer();
const shell = useShell();
const env = () => ({ AGENT_HOSTING_API_KEY: exampleKey, AGENT_HOSTING_BASE_URL: server.url });

const delta = (text: string) => serverSentEvent('delta', { text });
const done = serverSentEvent('done', {
  response: '',
  request_id: 'req_1',
  tokens_used: 1,
  duration_ms: 1,
});
const reply = (...pieces: string[]) => eventStream([...pieces.map(delta), done], 'end');
const agent = dataResponse({ name: 'support-bot', model: 'builtin/echo' });
const unauthorized = errorResponse(401, 'unauthorized');

/** Calls that wait for approval; one has arguments that a terminal would interpret. */
const approvals = [
  { call_id: 'call_1', tool: 'refund', arguments: { order: '5512' }, approver: 'caller' },
  {
    call_id: 'call_2',
    tool: 'send_mail',
    arguments: { text: 'Hi \u001b[2J\u202e' },
    approver: 'manage',
  },
].map((call) => ({ ...call, expires_at: '2026-11-03T09:30:01.000Z' }));
const paused = (...calls: object[]) =>
  eventStream(
    [
      delta('May I?'),
      serverSentEvent('done', {
        ...{ response: 'May I?', request_id: 'req_7', status: 'requires_approval' },
        approvals: calls,
      }),
    ],
    'end',
  );

interface Sent {
  message: string;
  context: { session_id: string; user_id?: string };
  resume?: object;
}

/** The messages that the service received. */
function sent(): Sent[] {
  return server.received
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body) as Sent);
}

describe('in a terminal', () => {
  const test = canOpenTerminals ? always : always.skip;
  const prompt = 'you>';
  const ctrlC = '\u0003';
  const ctrlD = '\u0004';
  const arrowUp = '\u001b[A';

  /** Opens a chat; the service sends the agent first, then these responses. */
  function open(args: string[], ...responders: Responder[]): RunningCommand {
    server.respondWith(agent, ...responders);
    return shell.openTerminal(['chat', 'support-bot', ...args], { env: env() });
  }

  /** Types a text once that many prompts have been shown. */
  async function typeAt(chat: RunningCommand, prompts: number, text: string): Promise<void> {
    await eventually(() => {
      expect(chat.stdout().split(`${prompt}\u001b[39m \u001b[6G`).length - 1).toBe(prompts);
    }, 30_000);
    chat.type(text);
  }

  test('messages share a session, arrow keys recall them, and the end says how to continue', async () => {
    const where = ['--environment', 'draft'];
    const chat = open(
      ['--user', 'user-1', ...where],
      reply('On ', 'its way.'),
      reply('Still\non it.'),
    );
    await typeAt(chat, 1, 'Where is it?\r');
    await typeAt(chat, 2, `${arrowUp}\r`);
    await typeAt(chat, 3, '/exit\r');
    const { code, stdout } = await chat.completed;
    // On a busy machine a reply takes long enough for what is shown meanwhile, and erased.
    const text = stripVTControlCharacters(stdout).replaceAll(/\r|. support-bot is thinking/gu, '');
    expect(code).toBe(0);
    expect(text).toContain('support-bot (builtin/echo) in draft\n');
    expect(text).toMatch(/Where is it\?\nOn its way\.\n\n/);
    expect(text).toMatch(/Where is it\?\nStill\non it\.\n\n/);
    const [first, second] = sent();
    expect(first).toEqual({
      message: 'Where is it?',
      environment: 'draft',
      context: { user_id: 'user-1', session_id: expect.stringMatching(/^chat-[0-9a-f]{16}$/) },
    });
    expect(second).toEqual(first);
    expect(text).toContain(
      `Continue with: agent-hosting chat support-bot --session ${first?.context.session_id} --user user-1 --environment draft\n`,
    );
  });

  test('Ctrl-C stops the reply, at the service too, and the conversation continues', async () => {
    const chat = open([], eventStream([delta('It is a long')], 'hang'), reply('Short.'));
    await typeAt(chat, 1, 'Tell me\r');
    await chat.waitFor('It is a long');
    chat.type(ctrlC);
    await eventually(() => {
      expect(server.received[1]?.socket.destroyed).toBe(true);
    });
    await typeAt(chat, 2, 'Shorter\r');
    await typeAt(chat, 3, ctrlD);
    const { code, stdout } = await chat.completed;
    expect(code).toBe(0);
    expect(stripVTControlCharacters(stdout)).toMatch(/It is a long\r\nstopped\r\n[^]*Short\.\r\n/);
  });

  test('Ctrl-C clears the line, warns on an empty one, and ends the conversation the next time', async () => {
    const chat = open([]);
    await typeAt(chat, 1, 'never sent');
    chat.type(ctrlC);
    chat.type(ctrlC);
    await chat.waitFor('Ctrl-C again ends the conversation');
    chat.type(ctrlC);
    expect((await chat.completed).code).toBe(0);
    expect(sent()).toEqual([]);
  });

  test('errors are shown, and the conversation continues', async () => {
    const broken = eventStream([delta('Half an ans')], 'disconnect');
    const chat = open([], broken, unauthorized, reply('Here I am.'));
    await typeAt(chat, 1, 'one\r');
    await typeAt(chat, 2, 'two\r');
    await typeAt(chat, 3, 'three\r');
    await typeAt(chat, 4, ctrlD);
    const { code, stdout } = await chat.completed;
    const text = stripVTControlCharacters(stdout);
    expect(code).toBe(0);
    expect(text).toMatch(/Half an ans\r\nerror: No response from /);
    expect(text).toContain('error: It is unauthorized. (unauthorized)');
    expect(text).toContain('Here I am.');
  });

  test('commands begin with a slash, and a message with two sends one', async () => {
    const chat = open([], reply('ok'));
    await typeAt(chat, 1, '/session\r');
    await typeAt(chat, 2, '/new\r');
    await typeAt(chat, 3, '/nonsense\r');
    await typeAt(chat, 4, '//etc/hosts\r');
    await typeAt(chat, 5, ctrlD);
    const { stdout } = await chat.completed;
    const sessions = Array.from(stdout.matchAll(/The session is (chat-\w+)\./g), ([, id]) => id);
    expect(new Set(sessions).size).toBe(2);
    expect(stdout).toContain('Unknown command /nonsense.');
    expect(sent()).toEqual([{ message: '/etc/hosts', context: { session_id: sessions[1] } }]);
  });

  test('pasted lines are one message, and a line typed during a reply is sent after it', async () => {
    const chat = open([], eventStream([delta('Wait')], 'hang'), reply('both'));
    await typeAt(chat, 1, '\u001b[200~first\rsecond\u001b[201~');
    await chat.waitFor('second');
    chat.type('\r');
    await chat.waitFor('Wait');
    chat.type(`next\r${ctrlC}`);
    await chat.waitFor('both');
    chat.type(ctrlD);
    await chat.completed;
    expect(sent().map(({ message }) => message)).toEqual(['first\nsecond', 'next']);
  });

  test('escape sequences from the service have no effect', async () => {
    server.respondWith(dataResponse({ name: hostileName, model: hostileName }), reply(hostileName));
    const chat = shell.openTerminal(['chat', 'x'], { env: env(), columns: 400 });
    await typeAt(chat, 1, 'Hi\r');
    await typeAt(chat, 2, ctrlD);
    const { stdout } = await chat.completed;
    expect(stdout.split('\\u001b[2J').length).toBe(4);
    // The sequences that this program writes: styles, the spinner, and the prompt of readline.
    const escape = '\u001b';
    const own = new RegExp(`${escape}\\[(\\d+m|\\d+G|0J|K|\\?2004[hl])|\\r+`, 'g');
    expect(firstUnprintable(stdout.replaceAll(own, ''))).toBeUndefined();
  });

  const [refund = {}, mail = {}] = approvals;
  const question = 'Approve? [y, n, or n and a reason] ';

  /** Types an answer once that many questions have been asked. */
  async function answerAt(chat: RunningCommand, questions: number, text: string): Promise<void> {
    await eventually(() => {
      expect(chat.stdout().split(question).length - 1).toBeGreaterThanOrEqual(questions);
    }, 30_000);
    chat.type(text);
  }

  test('calls that need approval are shown and decided, and the reply goes on', async () => {
    const chat = open([], paused(refund, mail), paused(refund), reply('Refunded.'));
    await typeAt(chat, 1, 'Refund it\r');
    await chat.waitFor('call_1, until 2026-11-03 09:30:01Z');
    await answerAt(chat, 1, 'maybe\r');
    await chat.waitFor('Answer y or n.');
    chat.type('y\r');
    await chat.waitFor('needs the permission manage');
    chat.type('n too expensive\r');
    await eventually(() => {
      expect(sent()).toHaveLength(2);
    });
    await chat.waitFor('May I?');
    await eventually(() => {
      expect(chat.stdout().split('Waits for approval:').length - 1).toBe(3);
    });
    chat.type('YES\r');
    await typeAt(chat, 2, ctrlD);
    const { code, stdout } = await chat.completed;
    expect(code).toBe(0);
    const text = stripVTControlCharacters(stdout).replaceAll('\r', '');
    expect(text).toContain('  {\n    "order": "5512"\n  }\n');
    // As JSON, and escaped once more for what JSON leaves as it is.
    expect(text).toContain('"text": "Hi \\u001b[2J\\u202e"');
    expect(text).toContain('Refunded.\n');
    expect(sent().slice(1)).toEqual([
      {
        message: 'Decided.',
        resume: {
          request_id: 'req_7',
          decisions: [
            { call_id: 'call_1', decision: 'approve' },
            { call_id: 'call_2', decision: 'reject', note: 'too expensive' },
          ],
        },
      },
      {
        message: 'Approved.',
        resume: { request_id: 'req_7', decisions: [{ call_id: 'call_1', decision: 'approve' }] },
      },
    ]);
  });

  test('what was typed before the question is no answer, and Ctrl-C leaves the call undecided', async () => {
    // What is typed during a reply is not shown, so only time tells that it has arrived.
    const slow: Responder = (response) => {
      setTimeout(() => {
        paused(refund)(response);
      }, 1_500);
    };
    const chat = open([], slow, reply('ok'));
    await typeAt(chat, 1, 'Refund it\r');
    await eventually(() => {
      expect(sent()).toHaveLength(1);
    });
    chat.type('y\ry');
    await answerAt(chat, 1, ctrlC);
    await chat.waitFor('Nothing was decided.');
    // The line that was typed early is the next message.
    await eventually(() => {
      expect(sent()).toHaveLength(2);
    });
    expect(sent()[1]).toMatchObject({ message: 'y' });
    await chat.waitFor('ok');
    chat.type(`${ctrlC}${ctrlD}`);
    const { stdout } = await chat.completed;
    expect(stripVTControlCharacters(stdout)).toContain(
      'To approve: agent-hosting agents approve support-bot req_7 --approve call_1\r\n',
    );
    expect(sent().some(({ resume }) => resume !== undefined)).toBe(false);
  });

  test('a decision that comes too late is an error, and the conversation continues', async () => {
    const chat = open([], paused(refund), errorResponse(409, 'conflict', { 'retry-after': '' }));
    await typeAt(chat, 1, 'Refund it\r');
    await answerAt(chat, 1, 'y\r');
    await chat.waitFor('It is conflict. (conflict)');
    await typeAt(chat, 2, ctrlD);
    expect((await chat.completed).code).toBe(0);
  });

  test('an agent that does not exist is reported before the first message', async () => {
    server.respondWith(errorResponse(404, 'not_found'));
    const chat = shell.openTerminal(['chat', 'missing-bot'], { env: env() });
    expect((await chat.completed).code).toBe(4);
    expect(server.received).toHaveLength(1);
  });
});

describe('by lines', () => {
  const run = (input: string, ...args: string[]) =>
    shell.run(['chat', 'support-bot', ...args], { env: env(), input });

  always('each line is a message of one session, and only replies are printed', async () => {
    server.respondWith(reply('one'), reply('two\n'), reply('three'));
    expect(await run('1\r\n\n2\n \t\u00a0\n/exit')).toEqual({
      code: 0,
      stdout: 'one\ntwo\nthree\n',
      stderr: '',
    });
    expect(sent().map(({ message }) => message)).toEqual(['1', '2', '/exit']);
    expect(new Set(sent().map(({ context }) => context.session_id)).size).toBe(1);
  });

  always('with --json each result is a line', async () => {
    server.respondWith(dataResponse({ response: 'a\nb', request_id: 'req_1' }));
    const { stdout } = await run('1\n2\n', '--json', '--session', 'mine');
    const results = stdout.trimEnd().split('\n');
    expect(results).toHaveLength(2);
    expect(JSON.parse(results[0] ?? '')).toEqual({ response: 'a\nb', request_id: 'req_1' });
    expect(sent()[1]?.context).toEqual({ session_id: 'mine' });
  });

  always('names the environment in each request', async () => {
    server.respondWith(reply('one'), reply('two'));
    const args = ['--environment', 'draft', '--session', 'mine'];
    expect((await run('1\n2\n', ...args)).code).toBe(0);
    const common = { environment: 'draft', context: { session_id: 'mine' } };
    expect(sent()).toEqual([
      { message: '1', ...common },
      { message: '2', ...common },
    ]);
  });

  always('continues after an error, and ends with its exit code', async () => {
    server.respondWith(errorResponse(400, 'invalid_request'), reply('two'));
    const { code, stdout, stderr } = await run('1\n2\n');
    expect({ code, stdout }).toEqual({ code: 2, stdout: 'two\n' });
    expect(stderr.match(/error:/g)).toHaveLength(1);
  });

  always('says on standard error that a reply is cut', async () => {
    const cut = serverSentEvent('done', { response: 'one', finish_reason: 'length' });
    server.respondWith(eventStream([delta('one'), cut], 'end'), reply('two'));
    expect(await run('1\n2\n')).toEqual({
      code: 0,
      stdout: 'one\ntwo\n',
      stderr: 'The reply is cut: the model reached its output limit.\n',
    });
  });

  always('shows calls that need approval, and ends with an exit code of their own', async () => {
    server.respondWith(paused(...approvals), reply('two'));
    expect(await run('1\n2\n')).toEqual({
      code: 7,
      stdout: 'May I?\n',
      stderr: `Waits for approval: refund  call_1, until 2026-11-03 09:30:01Z
  {
    "order": "5512"
  }
Waits for approval: send_mail  call_2, until 2026-11-03 09:30:01Z; needs the permission manage
  {
    "text": "Hi \\u001b[2J\\u202e"
  }
To approve: agent-hosting agents approve support-bot req_7 --approve call_1 --approve call_2
To reject a call: --reject CALL or --reject CALL=REASON in place of its --approve.
`,
    });
    expect(sent().map(({ message }) => message)).toEqual(['1']);
  });

  always('sends a message once if its error must not be repeated, and continues', async () => {
    server.respondWith(finalErrorResponse(502, 'upstream_error'), reply('two'));
    const { code, stdout, stderr } = await run('1\n2\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'two\n' });
    expect(stderr).toContain("only if the effects of the agent's tool calls may happen");
    expect(sent().map(({ message }) => message)).toEqual(['1', '2']);
  });

  always('ends at an error that every message would cause', async () => {
    server.respondWith(unauthorized);
    const { code, stderr } = await run('1\n2\n3\n');
    expect(code).toBe(3);
    expect(stderr).toContain('The key is from AGENT_HOSTING_API_KEY,');
    expect(sent()).toHaveLength(1);
  });

  always('sends nothing without input', async () => {
    server.respondWith();
    expect(await run('')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
