/** The differences that the console shows between two configurations. */
import { describe, expect, test } from '@jest/globals';
import {
  type Configuration,
  differencesBetween,
} from '../../client/console/pages/deployments/differences.js';

const refund = {
  name: 'refund',
  description: 'Refunds an order.',
  method: 'POST',
  url: 'https://api.acme.example/refund',
  parameters: { type: 'object', properties: { order: { type: 'string' } } },
};
const lookup = { ...refund, name: 'lookup', method: 'GET' };

const active: Configuration = {
  model: 'builtin/echo',
  temperature: 0.5,
  instructions: 'Be brief.',
  settings: { timeout: '60s', history: 20, tools: { maxSteps: 8, http: [refund, lookup] } },
};

function withSettings(settings: Record<string, unknown>): Configuration {
  return { ...active, settings: { ...active.settings, ...settings } };
}

/** Each difference as one line. */
function describeDifferences(to: Configuration, from = active): string[] {
  return differencesBetween(from, to).map(({ setting, change }) =>
    change.kind === 'value'
      ? `${setting}: ${change.from ?? 'unset'} → ${change.to ?? 'unset'}`
      : `${setting}: ${change.lines.map(({ kind, text }) => `${marks[kind]}${text}`).join('|')}`,
  );
}

const marks = { added: '+', removed: '-', same: ' ', gap: '…' } as const;

describe('differences', () => {
  test('do not depend on the order of keys', () => {
    expect(describeDifferences(active)).toEqual([]);
    const reordered = {
      tools: {
        http: [Object.fromEntries(Object.entries(refund).toReversed()), lookup],
        maxSteps: 8,
      },
      history: 20,
      timeout: '60s',
    };
    expect(describeDifferences({ ...active, settings: reordered })).toEqual([]);
  });

  test('have the path of the setting, and both values', () => {
    expect(describeDifferences({ ...active, model: 'openai/gpt-5', temperature: 1 })).toEqual([
      'model: builtin/echo → openai/gpt-5',
      'temperature: 0.5 → 1',
    ]);
    expect(
      describeDifferences(withSettings({ timeout: '90s', fallbacks: ['a/b', 'c/d'] })),
    ).toEqual(['timeout: 60s → 90s', 'fallbacks: unset → "a/b", "c/d"']);
    const limits = { maxOutputTokens: 500, reasoning: 'low', historyTokens: 8_000 };
    const memory = { summarize: true, recall: true };
    const tools = { maxSteps: 8, maxResult: 9_000, http: [refund, lookup] };
    expect(describeDifferences(withSettings({ ...limits, ...memory, tools }))).toEqual([
      'tools.maxResult: unset → 9000',
      'maxOutputTokens: unset → 500',
      'reasoning: unset → low',
      'historyTokens: unset → 8000',
      'summarize: unset → true',
      'recall: unset → true',
    ]);
    const higher = withSettings({ ...limits, reasoning: 'high' });
    expect(describeDifferences(higher, withSettings(limits))).toEqual(['reasoning: low → high']);
    expect(
      describeDifferences(
        withSettings({ fallbacks: ['c/d', 'a/b'] }),
        withSettings({ fallbacks: ['a/b', 'c/d'] }),
      ),
    ).toEqual(['fallbacks: "a/b", "c/d" → "c/d", "a/b"']);
    const approved = {
      maxSteps: 8,
      http: [{ ...refund, repeat: true, approval: 'manage' }, lookup],
    };
    expect(describeDifferences(withSettings({ approvalTimeout: '2h', tools: approved }))).toEqual([
      'tools.http.refund.repeat: unset → true',
      'tools.http.refund.approval: unset → manage',
      'approvalTimeout: unset → 2h',
    ]);
    expect(describeDifferences(withSettings({ remember: false }))).toEqual([
      'remember: unset → false',
    ]);
  });

  test('of instructions are listed by line, with context', () => {
    expect(describeDifferences({ ...active, instructions: 'Answer at length.' })).toEqual([
      'instructions: -Be brief.|+Answer at length.',
    ]);
    const lines = Array.from({ length: 20 }, (_, index) => `Line ${index}.`);
    const changed = lines.with(1, 'Second.').toSpliced(18, 1);
    expect(
      describeDifferences(
        { ...active, instructions: changed.join('\n') },
        { ...active, instructions: lines.join('\n') },
      ),
    ).toEqual([
      'instructions:  Line 0.|-Line 1.|+Second.| Line 2.| Line 3.|…| Line 16.| Line 17.|-Line 18.| Line 19.',
    ]);
    expect(describeDifferences({ ...active, instructions: '' })).toEqual([
      'instructions: -Be brief.',
    ]);
    expect(describeDifferences({ ...active, instructions: 'Be brief.\n' })).toEqual([
      'instructions:  Be brief.|+',
    ]);
  });

  test('of very long instructions without a common line are all their lines', () => {
    const text = (word: string) =>
      Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n');
    const from = { ...active, instructions: text('before') };
    const [difference] = differencesBetween(from, { ...active, instructions: text('after') });
    expect(difference?.change).toMatchObject({ kind: 'text' });
    const lines = difference?.change.kind === 'text' ? difference.change.lines : [];
    expect(lines.filter(({ kind }) => kind === 'removed').length).toBe(3_000);
    expect(lines.filter(({ kind }) => kind === 'added').length).toBe(3_000);
  });

  test('of tools are listed by the name of the tool', () => {
    const http = [{ ...refund, url: 'https://evil.example/' }, lookup];
    expect(describeDifferences(withSettings({ tools: { maxSteps: 8, http } }))).toEqual([
      'tools.http.refund.url: https://api.acme.example/refund → https://evil.example/',
    ]);
    expect(describeDifferences(withSettings({ tools: { maxSteps: 8, http: [lookup] } }))).toEqual([
      `tools.http.refund: ${JSON.stringify(refund)} → unset`,
    ]);
    expect(describeDifferences(withSettings({ tools: undefined }))).toEqual([
      'tools.maxSteps: 8 → unset',
      `tools.http.refund: ${JSON.stringify(refund)} → unset`,
      `tools.http.lookup: ${JSON.stringify(lookup)} → unset`,
    ]);
    expect(
      describeDifferences(withSettings({ tools: { maxSteps: 8, http: [lookup, refund] } })),
    ).toEqual(['tools.http: refund, lookup → lookup, refund']);
    const parameters = { type: 'object', properties: { order: { type: 'integer' }, all: {} } };
    expect(
      describeDifferences(
        withSettings({ tools: { maxSteps: 8, http: [{ ...refund, parameters }, lookup] } }),
      ),
    ).toEqual([
      'tools.http.refund.parameters.properties.order.type: string → integer',
      'tools.http.refund.parameters.properties.all: unset → {}',
    ]);
  });

  test('of a tool that its server has redefined are listed by its name', () => {
    const recorded = withSettings({
      toolDefinitions: { orders_lookup: 'one', orders_list: 'same' },
    });
    const changed = withSettings({
      toolDefinitions: { orders_lookup: 'two', orders_list: 'same' },
    });
    expect(describeDifferences(changed, recorded)).toEqual([
      'toolDefinitions.orders_lookup: one → two',
    ]);
  });
});
