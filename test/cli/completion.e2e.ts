/** Shell completion, and the help of every command. */
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createDefinitions } from '../../client/cli/definitions.js';
import { createProgram } from '../../client/cli/program.js';
import { processTerminal } from '../../client/cli/terminal.js';
import { useShell } from './shell.js';

const shell = useShell();

/** A command line up to the cursor, and the suggestions there. */
const cases: [line: string, suggestions: string[]][] = [
  ['ag', ['agents']],
  ['agents ', ['list', 'get', 'invoke', 'approve', 'update', 'delete', 'help']],
  ['--profile local keys ro', ['rotate']],
  ['agents list --st', ['--status']],
  ['agents list --status ', ['running', 'stopped']],
  ['deployments list support-bot --status ro', ['rolled_back']],
  ['metrics support-bot --metric th', ['throughput']],
];

describe('completion', () => {
  test.each(cases)('of %j suggests what can follow', async (line, suggestions) => {
    // As the script of each shell asks.
    const { code, stdout } = await shell.run(['complete', '--', ...line.split(' ')]);
    const words = stdout.split('\n').filter((text) => /^[\w-]/.test(text));
    expect({ code, words: words.map((text) => text.split('\t')[0]) }).toEqual({
      code: 0,
      words: suggestions,
    });
  });

  test.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s', async (name) => {
    const { code, stdout } = await shell.run(['completion', name]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/agent-hosting.* complete/);
  });

  test('has none for other shells', async () => {
    const { code, stderr } = await shell.run(['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('bash');
  });
});

describe('the help', () => {
  const terminal = processTerminal();
  const interruptSignal = () => new AbortController().signal;
  const errorContext = { isJson: false, target: undefined };
  const definitions = createDefinitions(terminal, interruptSignal, errorContext);
  const program = createProgram(terminal, '0.0.0', definitions);

  function leaves(command: Command): Command[] {
    const visible = command.commands.filter((child) => child.name() !== 'complete');
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
