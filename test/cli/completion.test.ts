/** Completions, in the shells themselves, and the help that every command has. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createRunner } from '../../client/cli/context.js';
import { createProgram } from '../../client/cli/program.js';
import { processTerminal } from '../../client/cli/terminal.js';
import { createShell, has, quoted, type Shell } from './shell.js';

let shell: Shell;
let folder: string;

beforeAll(async () => {
  shell = await createShell();
  folder = path.dirname(shell.program);
});

/** A command line up to the cursor, and what can follow there. */
const cases: [line: string, offered: string[]][] = [
  ['ag', ['agents']],
  ['agents ', ['list', 'get', 'invoke', 'update', 'delete']],
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

async function scriptOf(name: string): Promise<string> {
  const { code, stdout } = await shell.run(['completion', name]);
  expect(code).toBe(0);
  const file = path.join(folder, `completion.${name}`);
  await writeFile(file, stdout);
  return file;
}

async function outputOf(program: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { env: shell.env });
  return stdout;
}

describe('completions', () => {
  test('of bash offer what can follow', async () => {
    const script = await scriptOf('bash');
    // What readline does, with its own way of taking a line apart.
    const complete = cases.map(([line]) => {
      const words = ['agent-hosting', ...line.split(' ')];
      return `COMP_WORDS=(${words.map(quoted).join(' ')}) COMP_CWORD=${words.length - 1}
_agent_hosting; echo "\${COMPREPLY[@]}"`;
    });
    const output = await outputOf('bash', [
      '--norc',
      '-c',
      `source ${quoted(script)}; complete -p agent-hosting >/dev/null || exit 9\n${complete.join('\n')}
COMP_WORDS=(agent-hosting metrics x --metric = er) COMP_CWORD=5; _agent_hosting; echo "\${COMPREPLY[@]}"`,
    ]);
    const expected = [...cases.map(([, offered]) => offered.join(' ')), 'error_rate'];
    expect(output.trimEnd().split('\n')).toEqual(expected);
  });

  const inZsh = has('zsh') ? test : test.skip;
  inZsh('of zsh offer what can follow', async () => {
    const script = await scriptOf('zsh');
    // The script with a completion system that prints what it is given.
    const runs = cases.map(([line]) => {
      const words = ['agent-hosting', ...line.split(' ')];
      return `words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; _agent_hosting`;
    });
    const output = await outputOf('zsh', [
      '-f',
      '-c',
      `compdef() { : }
_describe() { local one; local -a found; for one in "\${(@P)\${@[-1]}}"; do one="\${one%%:*}"; [[ $one == "\${words[CURRENT]}"* ]] && found+=$one; done; echo $found }
source ${quoted(script)}
${runs.join('\n')}`,
    ]);
    expect(output.trimEnd().split('\n')).toEqual(cases.map(([, offered]) => offered.join(' ')));
  });

  const inFish = has('fish') ? test : test.skip;
  inFish('of fish offer what can follow', async () => {
    const script = await scriptOf('fish');
    const runs = cases.map(
      ([line]) =>
        `complete -C ${quoted(`agent-hosting ${line}`)} | string split -f1 \\t | sort | string join ' '`,
    );
    const output = await outputOf('fish', [
      '--no-config',
      '-c',
      `source ${quoted(script)}\n${runs.join('\n')}`,
    ]);
    expect(output.trimEnd().split('\n')).toEqual(
      cases.map(([, offered]) => [...offered].sort().join(' ')),
    );
  });
});

describe('the help', () => {
  const terminal = processTerminal();
  const never = () => new AbortController().signal;
  const run = createRunner(terminal, never, { isJson: false, service: undefined });
  const program = createProgram(run, terminal, '0.0.0');

  function leaves(command: Command): Command[] {
    return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
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
    'of %s %s has an example, fits a usual terminal, and says what every option does',
    (_parent, _name, command) => {
      expect(helpOf(command)).toMatch(/Examples?:\n {2}\S/);
      for (const { description } of command.options) expect(description).not.toBe('');
      const prose = helpOf(command)
        .split('\n')
        .filter((line) => /^\S/.test(line));
      for (const line of prose) expect(line.length).toBeLessThanOrEqual(80);
    },
  );

  test('of the whole tells the exit codes, the environment and what JSON to expect', () => {
    const text = helpOf(program);
    for (const part of ['Exit codes:', 'AGENT_HOSTING_API_KEY', 'NO_COLOR', 'JSON:']) {
      expect(text).toContain(part);
    }
  });

  test('comes where no command is named, as wrong usage', async () => {
    for (const args of [[], ['agents']]) {
      const { code, stdout, stderr } = await shell.run(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('Usage: agent-hosting');
    }
  });
});
