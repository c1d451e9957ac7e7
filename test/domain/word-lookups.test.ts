/** Which entries a search looks at, by how frequent its words are. */
import { describe, expect, test } from '@jest/globals';
import { planSearch } from '../../server/domain/memory/search-plan.js';
import { firstLookup, shortLookup } from '../../server/domain/memory/word-lookups.js';
import { lowestIdAt, timeOfId } from '../../server/lib/typeid.js';
import type { QueryWord } from '../../server/store/memory-words.js';

const dayMs = 86_400_000;
const oldest = lowestIdAt('mem', new Date(Date.now() - 100 * dayMs));
const everyone = { memoryId: 'agent', cleared: [], userId: undefined, sessionId: undefined };

/** A word of the query that so many of a million entries have, and what it may stand for. */
const word = (text: string, entries: number | null, similar: QueryWord['similar'] = []) => ({
  word: text,
  entries,
  similar,
  allEntries: 1_000_000,
  oldest,
});
const misspelt = (text: string, meant: string, entries: number) =>
  word(text, null, [{ word: meant, similarity: 0.6, entries }]);

const short = (...words: QueryWord[]) => shortLookup(planSearch(words), everyone, 10);
const first = (...words: QueryWord[]) => firstLookup(planSearch(words), everyone);

describe('what a word is worth', () => {
  test('the rarer, the more', () => {
    const { terms } = planSearch([word('order', 400_000), word('walrus', 3)]);
    expect(terms.map((term) => term.word)).toEqual(['walrus', 'order']);
  });

  test('one that nobody has written is worth what it stands for', () => {
    const { terms } = planSearch([misspelt('ordre', 'order', 400_000), word('refund', 300)]);
    expect(terms.map((term) => term.word)).toEqual(['refund', 'order']);
  });

  test('one that is rare is not worth less for being similar to a frequent one', () => {
    const similar = [{ word: 'order', similarity: 0.7, entries: 400_000 }];
    const { terms } = planSearch([word('parcel', 5_000), word('border', 10, similar)]);
    expect(terms.map((term) => term.word)).toEqual(['border', 'parcel']);
  });
});

describe('the latest entries with a word', () => {
  test('of a word that thousands have: those since a time by which there should be enough', () => {
    const lookup = short(word('address', 3_900));
    expect(lookup).toMatchObject({ anyOf: ['address'], allOf: [] });
    const age = Date.now() - timeOfId(lookup?.anyOfSince ?? '').getTime();
    // 39 of 3,900 in a hundred days.
    expect(Math.round(age / dayMs)).toBe(1);
  });

  test('of a word that more have: those among the newest', () => {
    expect(short(word('delivery', 39_000))).toEqual({
      newest: 1_000,
      newestWith: ['delivery'],
      allOf: [],
    });
  });

  test('of a word that a tenth have: those among the newest, though there are few', () => {
    const plan = planSearch([{ ...word('parcel', 2_600), allEntries: 30_000 }]);
    expect(shortLookup(plan, everyone, 10)).toMatchObject({ newest: 450, newestWith: ['parcel'] });
  });

  test.each([
    ['of a word that everybody uses', word('order', 400_000)],
    ['of a word with too few entries', word('walrus', 20)],
    ['of a word that nobody has written', word('qwertz', null)],
  ])('not %s', (_, one) => {
    expect(short(one)).toBeUndefined();
  });

  test('not of one user', () => {
    const plan = planSearch([word('address', 3_900)]);
    expect(shortLookup(plan, { ...everyone, userId: 'ann' }, 10)).toBeUndefined();
  });

  test('a longer page takes more of them', () => {
    const plan = planSearch([word('delivery', 39_000)]);
    expect(shortLookup(plan, everyone, 90)).toMatchObject({ newest: 3_000 });
  });
});

describe('words that decide', () => {
  test('entries without the word that outweighs all others are not looked at, those with all words are, however old', () => {
    expect(
      short(word('order', 400_000), word('delivery', 28_000), word('address', 2_800)),
    ).toMatchObject({
      anyOf: ['address'],
      anyOfSince: expect.any(String),
      allOf: ['address', 'delivery'],
    });
  });

  test('all entries of a rare word, since older ones may have more of the others', () => {
    expect(short(word('order', 400_000), word('delivery', 28_000), word('refund', 280))).toEqual({
      anyOf: ['refund'],
    });
  });

  test('the same with misspelt words', () => {
    expect(
      short(misspelt('delivry', 'delivery', 28_000), misspelt('adress', 'address', 2_800)),
    ).toMatchObject({ anyOf: ['adress', 'address'], allOf: ['address', 'delivery'] });
  });

  test('several together, if one alone has too few entries', () => {
    expect(short(word('order', 400_000), word('heron', 15), word('canoe', 40))).toEqual({
      anyOf: ['heron', 'canoe'],
    });
  });

  test('none, if others together weigh as much', () => {
    expect(short(word('parcel', 9_000), word('refund', 9_000))).toBeUndefined();
  });
});

describe('otherwise', () => {
  test('every entry with a rare word, and the newest with frequent ones', () => {
    expect(first(word('order', 400_000), word('walrus', 3))).toEqual({
      newest: 5_000,
      anyOf: ['walrus'],
      allOf: [],
    });
  });

  test('every entry with all words, if few have them', () => {
    expect(first(word('parcel', 9_000), word('refund', 9_000))).toEqual({
      newest: 5_000,
      newestWith: ['parcel', 'refund'],
      anyOf: [],
      allOf: ['parcel', 'refund'],
    });
  });
});
