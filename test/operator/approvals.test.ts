/** The approvals of tools in manifests: what is wrong with them is refused with its place in the file. */
import { describe, expect, test } from '@jest/globals';
import { parseManifests } from '../../server/operator/parse-manifests.js';

const refund = (settings: string) => `name: desk
model: local/llama3.2
tools:
  http:
    - name: refund
      description: Refunds an order.
      url: https://shop.acme.example/refunds
      parameters: { type: object }
${settings}`;

const orders = (settings: string) => `name: desk
model: local/llama3.2
tools:
  mcp:
    - name: orders
      url: https://mcp.acme.example/mcp
      allow: [lookup, orders.cancel]
${settings}`;

const problemsIn = (text: string) => {
  const parsed = parseManifests(text);
  return 'problems' in parsed
    ? parsed.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    : [];
};

describe('a manifest is refused', () => {
  test.each([
    [
      'with the approval of a tool that is not allowed',
      orders('      approval: { lookup: caller, refund.all: manage }\n'),
      "8:47 tools.mcp.0.approval.refund.all is not in 'allow'",
    ],
    [
      'with an approvalTimeout that no tool needs',
      orders('approvalTimeout: 2h\n'),
      "8:18 approvalTimeout needs a tool with 'approval'",
    ],
    [
      'with an approvalTimeout without tools',
      'name: desk\nmodel: builtin/echo\napprovalTimeout: 2h\n',
      "3:18 approvalTimeout needs a tool with 'approval'",
    ],
    [
      'with a short approvalTimeout',
      refund('      approval: caller\napprovalTimeout: 59s\n'),
      '10:18 approvalTimeout must be from 1m to 7d',
    ],
    [
      'with a long approvalTimeout',
      orders('      approval: { orders.cancel: manage }\napprovalTimeout: 8d\n'),
      '9:18 approvalTimeout must be from 1m to 7d',
    ],
    [
      'with an unknown approver',
      refund('      approval: anybody\n'),
      '9:17 tools.http.0.approval must be one of: caller, manage',
    ],
  ])('%s', (_, text, problem) => {
    expect(problemsIn(text)).toEqual([problem]);
  });
});

describe('a manifest is accepted', () => {
  test.each([
    ['with repeat for a GET, which needs none', refund('      method: GET\n      repeat: true\n')],
    ['with approval without approvalTimeout', refund('      approval: manage\n')],
    [
      'with the longest approvalTimeout',
      orders('      approval: { orders.cancel: caller }\napprovalTimeout: 7d\n'),
    ],
  ])('%s', (_, text) => {
    expect(problemsIn(text)).toEqual([]);
  });

  test('without settings that it does not have', () => {
    const parsed = parseManifests(refund(''));
    const { manifest } = ('manifests' in parsed && parsed.manifests[0]) || {};
    expect(manifest?.tools?.http?.[0]).not.toHaveProperty('repeat');
    expect(manifest).not.toHaveProperty('approvalTimeout');
  });
});
