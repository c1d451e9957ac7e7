/** Completion scripts, run by the shells themselves, and the help of every command. */
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createDefinitions } from '../../client/cli/definitions.js';
import { createProgram } from '../../client/cli/program.js';
import { processTerminal } from '../../client/cli/terminal.js';
import { shellQuote } from '../../client/cli/completion/posix-script.js';
import {
  errorResponse,
  hang,
  jsonResponse,
  rawResponse,
  type Responder,
  useStubServer,
} from '../client/stub-server.js';
import { eventually } from '../helpers/eventually.js';
import { hostileName } from '../helpers/text/unprintable.js';
import { exampleKey, isInstalled, useShell } from './shell.js';

const shell = useShell();

/** A command line up to the cursor, and the suggestions there. */
const cases: [line: string, suggestions: string[]][] = [
  ['ag', ['agents']],
  ['agents ', ['list', 'get', 'invoke', 'update', 'delete']],
  ['ch', ['chat']],
  ['--json agents de', ['delete']],
  ['--profile agents keys ro', ['rotate']],
  ['agents list --st', ['--status']],
  ['agents list --status ', ['running', 'stopped']],
  ['deployments list support-bot --status ro', ['rolled_back']],
  ['logs support-bot --level w', ['warn']],
  ['metrics agents --metric th', ['throughput']],
  ['keys rotate key_1 --gr', ['--grace']],
  ['completion ', ['bash', 'zsh', 'fish']],
];

async function writeScript(name: string): Promise<string> {
  const { code, stdout } = await shell.run(['completion', name]);
  expect(code).toBe(0);
  const file = path.join(shell.home, `completion.${name}`);
  await writeFile(file, stdout);
  return file;
}

async function outputOf(program: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { env: shell.env });
  return stdout;
}

describe('completions', () => {
  test('in bash suggest what can follow', async () => {
    const script = await writeScript('bash');
    // Called as readline does, with the words of the line.
    const complete = cases.map(([line]) => {
      const words = ['agent-hosting', ...line.split(' ')];
      return `COMP_WORDS=(${words.map(shellQuote).join(' ')}) COMP_CWORD=${words.length - 1}
_agent_hosting; echo "\${COMPREPLY[@]}"`;
    });
    const output = await outputOf('bash', [
      '--norc',
      '-c',
      `source ${shellQuote(script)}; complete -p agent-hosting >/dev/null || exit 9\n${complete.join('\n')}
COMP_WORDS=(agent-hosting metrics x --metric = er) COMP_CWORD=5; _agent_hosting; echo "\${COMPREPLY[@]}"`,
    ]);
    const expected = [...cases.map(([, suggestions]) => suggestions.join(' ')), 'error_rate'];
    expect(output.trimEnd().split('\n')).toEqual(expected);
  });

  describe('for agents', () => {
    const server = useStubServer();
    const lines = ['logs ', 'chat s', 'keys create --agent ', 'agents get x ', '--profile x chat '];

    async function complete(): Promise<string[]> {
      const script = await writeScript('bash');
      const program = path.join(shell.home, 'agent-hosting');
      await writeFile(program, `#!/bin/sh\nexec ${shell.command([])} "$@"\n`, { mode: 0o755 });
      const runs = lines.map((line) => {
        const words = [program, ...line.split(' ')];
        return `COMP_WORDS=(${words.map(shellQuote).join(' ')}) COMP_CWORD=${words.length - 1}
words=''; _agent_hosting; echo "\${COMPREPLY[*]}"`;
      });
      const env = { AGENT_HOSTING_API_KEY: exampleKey, AGENT_HOSTING_BASE_URL: server.url };
      const { stdout, stderr } = await promisify(execFile)(
        'bash',
        [
          '--norc',
          '-c',
          `cd ${shellQuote(shell.home)}; source ${shellQuote(script)}; ${runs.join('\n')}`,
        ],
        { env: { ...shell.env, ...env } },
      );
      expect(stderr).toBe('');
      return stdout.split('\n').slice(0, -1);
    }

    test('are the names that the service has, where an agent is expected', async () => {
      const names = ['billing-bot', 'support-bot'].map((name) => ({ id: name, name }));
      const pagination = { limit: 100, offset: 0, total: 2, has_more: false };
      server.respondWith(jsonResponse(200, { success: true, data: names, pagination }));
      const all = 'billing-bot support-bot';
      // On a busy machine the names may take longer than the completion waits.
      await eventually(async () => {
        const [logs, chat, keys, other, unknownProfile] = await complete();
        expect([logs, chat, keys, unknownProfile]).toEqual([all, 'support-bot', all, '']);
        expect(other).not.toContain('-bot');
      }, 60_000);
    });

    test('are only valid names, whatever the service sends', async () => {
      const hostile = [hostileName, '$(touch pwned)', '`touch pwned`', '--yes', 'fine'];
      const data = hostile.map((name) => ({ id: name, name }));
      const pagination = { limit: 100, offset: 0, total: 5, has_more: false };
      server.respondWith(jsonResponse(200, { success: true, data, pagination }));
      await eventually(async () => {
        expect((await complete())[0]).toBe('fine');
      }, 60_000);
      expect(await readdir(shell.home)).not.toContain('pwned');
    });

    test.each<[string, Responder]>([
      ['hangs', hang],
      ['fails', errorResponse(500, 'server_error')],
      ['is another server', rawResponse(200, '<html>')],
    ])('are empty, without an error, if the service %s', async (_kind, responder) => {
      server.respondWith(responder);
      const start = performance.now();
      const env = { AGENT_HOSTING_API_KEY: exampleKey, AGENT_HOSTING_BASE_URL: server.url };
      expect(await shell.run(['__agents'], { env })).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(performance.now() - start).toBeLessThan(20_000);
    });
  });

  const inZsh = isInstalled('zsh') ? test : test.skip;
  inZsh('in zsh suggest what can follow', async () => {
    const script = await writeScript('zsh');
    // A stub of the completion system prints the suggestions.
    const runs = cases.map(([line]) => {
      const words = ['agent-hosting', ...line.split(' ')];
      return `words=(${words.map(shellQuote).join(' ')}); CURRENT=${words.length}; _agent_hosting`;
    });
    const output = await outputOf('zsh', [
      '-f',
      '-c',
      `compdef() { : }
_describe() { local one; local -a found; for one in "\${(@P)\${@[-1]}}"; do one="\${one%%:*}"; [[ $one == "\${words[CURRENT]}"* ]] && found+=$one; done; echo $found }
source ${shellQuote(script)}
${runs.join('\n')}`,
    ]);
    expect(output.trimEnd().split('\n')).toEqual(
      cases.map(([, suggestions]) => suggestions.join(' ')),
    );
  });

  const inFish = isInstalled('fish') ? test : test.skip;
  inFish('in fish suggest what can follow', async () => {
    const script = await writeScript('fish');
    const runs = cases.map(
      ([line]) =>
        `complete -C ${shellQuote(`agent-hosting ${line}`)} | string split -f1 \\t | sort | string join ' '`,
    );
    const output = await outputOf('fish', [
      '--no-config',
      '-c',
      `source ${shellQuote(script)}\n${runs.join('\n')}`,
    ]);
    expect(output.trimEnd().split('\n')).toEqual(
      cases.map(([, suggestions]) => [...suggestions].sort().join(' ')),
    );
  });
});

describe('the help', () => {
  const terminal = processTerminal();
  const interruptSignal = () => new AbortController().signal;
  const errorContext = { isJson: false, target: undefined };
  const definitions = createDefinitions(terminal, interruptSignal, errorContext);
  const program = createProgram(terminal, '0.0.0', definitions);

  function leaves(command: Command): Command[] {
    const visible = command.commands.filter((child) => !child.name().startsWith('__'));
    return visible.length === 0 ? [command] : visible.flatMap(leaves);
  }

  function helpOf(command: Command): string {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part) });
    command.outputHelp();
    return text;
  }

  test.each(
    leaves(program).map((command) => [command.parent?.name(), command.name(), command] as const),
  )(
    'of %s %s has an example, fits 80 columns, and describes every option',
    (_parent, _name, command) => {
      expect(helpOf(command)).toMatch(/Examples?:\n {2}\S/);
      for (const { description } of command.options) expect(description).not.toBe('');
      const prose = helpOf(command)
        .split('\n')
        .filter((line) => /^\S/.test(line));
      for (const line of prose) expect(line.length).toBeLessThanOrEqual(80);
    },
  );

  test('of the program describes the exit codes, the environment and the JSON output', () => {
    const text = helpOf(program);
    for (const part of ['Exit codes:', 'AGENT_HOSTING_API_KEY', 'NO_COLOR', 'JSON:']) {
      expect(text).toContain(part);
    }
  });

  test('of the program is the same before its commands are loaded', () => {
    expect(helpOf(createProgram(terminal, '0.0.0'))).toBe(helpOf(program));
  });

  test('of a command is also printed by the help command', async () => {
    const { stdout } = await shell.run(['keys', '--help']);
    expect(stdout).toContain('keys [options] [command]');
    expect(await shell.run(['--json', 'help', 'keys'])).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('is printed as a usage error if no command is named', async () => {
    for (const args of [[], ['agents']]) {
      const { code, stdout, stderr } = await shell.run(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('Usage: agent-hosting');
    }
  });
});
