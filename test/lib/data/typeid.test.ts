import { describe, expect, jest, test } from '@jest/globals';
import { encodeSuffix, isId, lowestIdAt, newId } from '../../../server/lib/data/typeid.js';

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');

describe('the encoding', () => {
  // From the published examples of the TypeID specification.
  test.each([
    ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
    ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
    ['00000000-0000-0000-0000-00000000000a', '0000000000000000000000000a'],
    ['00000000-0000-0000-0000-000000000010', '0000000000000000000000000g'],
    ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['0110c853-1d09-52d8-d73e-1194e95b5f19', '0123456789abcdefghjkmnpqrs'],
    ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
    ['0188bac7-4afa-78aa-bc3b-bd1eef28d881', '01h2xcejqtf2nbrexx3vqjhp41'],
  ])('writes %s as %s', (uuid, suffix) => {
    expect(encodeSuffix(bytesOf(uuid))).toBe(suffix);
  });
});

describe('a new id', () => {
  test('is recognised as one of its kind, and of no other', () => {
    const id = newId('agent');
    expect(id).toMatch(/^agent_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(isId('agent', id)).toBe(true);
    expect(isId('acct', id)).toBe(false);
  });

  test('contains the time, version 7 and the RFC variant', () => {
    const before = Date.now();
    const [, suffix = ''] = newId('req').split('_');
    const bits = Array.from(suffix).reduce(
      (sum, character) => sum * 32n + BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(character)),
      0n,
    );
    expect(Number(bits >> 80n)).toBeGreaterThanOrEqual(before);
    expect(Number(bits >> 80n)).toBeLessThanOrEqual(Date.now() + 1);
    expect((bits >> 76n) & 0xfn).toBe(7n);
    expect((bits >> 62n) & 0b11n).toBe(0b10n);
  });

  test('is greater than every earlier id, also with many ids per millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('log'));
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is still greater after the clock was set back', () => {
    const first = newId('evt');
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 60_000);
    try {
      expect(newId('evt') > first).toBe(true);
    } finally {
      clock.mockRestore();
    }
  });
});

test.each([
  '',
  'agent',
  'agent_',
  'agent_01h455vb4pex5vsknk084sn02',
  'agent_01h455vb4pex5vsknk084sn02qq',
  'agent_81h455vb4pex5vsknk084sn02q',
  'agent_01h455vb4pex5vsknk084sn02l',
  'agent_01H455VB4PEX5VSKNK084SN02Q',
  'agents_01h455vb4pex5vsknk084sn02q',
  'agent_01h455vb4pex5vsknk084sn02q\n',
])('%j is not an id', (text) => {
  expect(isId('agent', text)).toBe(false);
});

test('ids of a time are between the lowest id of that time and that of the next millisecond', () => {
  const now = new Date();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now.getTime() + 10_000);
  try {
    const id = newId('log');
    expect(id > lowestIdAt('log', new Date(now.getTime() + 10_000))).toBe(true);
    expect(id < lowestIdAt('log', new Date(now.getTime() + 10_001))).toBe(true);
  } finally {
    clock.mockRestore();
  }
});
