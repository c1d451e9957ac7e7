/** Files of cases: what they mean, and where they are wrong. */
import { expect, test } from '@jest/globals';
import { parseCases } from '../../client/cli/evaluation/case-file.js';
import { problemsOf } from '../../client/cli/evaluation/expectations.js';
import { CommandError } from '../../client/cli/exit-codes.js';

test('a case has a message, and everything else is optional', () => {
  const text = `
- message: Where is my order 5512?
- name: paid
  message: Is it paid?
  context: { user_id: ann, remember: true }
  expect:
    contains: yes
    matches: /order \\d+/i
    equals: { paid: true, on: [1, null] }
`;
  expect(parseCases(text, 'cases.yaml')).toEqual([
    {
      name: 'Where is my order 5512?',
      message: 'Where is my order 5512?',
      context: {},
      expect: {},
    },
    {
      name: 'paid',
      message: 'Is it paid?',
      context: { user_id: 'ann', remember: true },
      expect: { contains: 'yes', matches: /order \d+/i, equals: { paid: true, on: [1, null] } },
    },
  ]);
});

test('an alias stands for what it names', () => {
  const text = `
- message: One
  context: &ann { user_id: ann }
- message: Two
  context: *ann
`;
  expect(parseCases(text, 'f').map(({ context }) => context)).toEqual([
    { user_id: 'ann' },
    { user_id: 'ann' },
  ]);
});

function problemsIn(text: string): string[] {
  try {
    parseCases(text, 'cases.yaml');
  } catch (error) {
    if (error instanceof CommandError) {
      expect(error).toMatchObject({
        message: 'cases.yaml is not a valid file of cases.',
        exitCode: 2,
      });
      return error.hints;
    }
    throw error;
  }
  return [];
}

test.each([
  ['', ['cases.yaml:1:1: there are no cases: write a list of them']],
  ['[]', ['cases.yaml:1:1: there are no cases: write a list of them']],
  ['message: Hi', ['cases.yaml:1:1: must be a list of cases, each beginning with -']],
  ['- Hi', ['cases.yaml:1:3: must be a case with a message']],
  ['- name: one', ['cases.yaml:1:3: message is missing']],
  ['- message: " "', ['cases.yaml:1:12: message must be text']],
  ['- message: 7', ['cases.yaml:1:12: message must be text']],
  [
    '- message: Hi\n  expects: x',
    ['cases.yaml:2:3: expects is unknown; there are name, message, context and expect'],
  ],
  ['- message: Hi\n  context: ann', ['cases.yaml:2:12: context must be a mapping']],
  [
    '- message: Hi\n  expect: yes',
    ['cases.yaml:2:11: expect must have contains, matches or equals'],
  ],
  [
    '- message: Hi\n  expect: {}',
    ['cases.yaml:2:11: expect must have contains, matches or equals'],
  ],
  [
    '- message: Hi\n  expect:\n    contain: x\n    equals: y',
    ['cases.yaml:3:5: contain is unknown; there are contains, matches and equals'],
  ],
  ['- message: Hi\n  expect: { contains: 7 }', ['cases.yaml:2:23: contains must be text']],
  [
    '- message: Hi\n  expect: { matches: /x/g }',
    [
      'cases.yaml:2:22: matches is not a regular expression: The flags g and y have no meaning here.',
    ],
  ],
  [
    '- message: Hi\n  expect: { matches: "(" }\n- name: 5',
    [
      expect.stringMatching(/^cases\.yaml:2:22: matches is not a regular expression: .+\(/),
      'cases.yaml:3:3: message is missing',
      'cases.yaml:3:9: name must be text',
    ],
  ],
  [
    '- message: "Hi',
    [expect.stringMatching(/^cases\.yaml:1:\d+: not valid YAML: Missing closing/)],
  ],
])('%j is rejected with line and column', (text, problems) => {
  expect(problemsIn(text)).toEqual(problems);
});

test.each<[answer: string, expected: Parameters<typeof problemsOf>[1], problems: string[]]>([
  ['It is on its way.', { contains: 'on its' }, []],
  ['It is on its way.', { contains: 'On its' }, ['does not contain "On its"']],
  ['Order 7', { matches: /^order \d$/i }, []],
  ['Order 77', { matches: /^order \d$/i }, [String.raw`does not match /^order \d$/i`]],
  ['Yes\n', { equals: 'Yes' }, []],
  ['Yes', { equals: 'yes' }, ['is not "yes"']],
  ['{"b": [1, null], "a": true}', { equals: { a: true, b: [1, null] } }, []],
  ['{"a": true, "c": 1}', { equals: { a: true } }, ['is not {"a":true}']],
  ['null', { equals: null }, []],
  ['Yes', { equals: { a: 1 } }, ['is not JSON']],
  ['No', { contains: 'Yes', matches: /Y/ }, ['does not contain "Yes"', 'does not match /Y/']],
  ['Anything', {}, []],
])('%j is compared with what is expected', (answer, expected, problems) => {
  expect(problemsOf(answer, expected)).toEqual(problems);
});
