/** Path arguments of tools: a tool calls the path of its template, or nothing. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ToolFailure } from '../../server/models/tools/tool.js';
import { fillUrl } from '../../server/models/tools/url-template.js';

const template = 'https://api.acme.example/v1/orders/{id}/items/a{item}?fixed=1';

describe('an argument in a path', () => {
  test.each(['.', '..', '', ' ', '\t', '\n', '../admin', 'a/../b', '..\\admin', '\ud800'])(
    'that is %j is rejected',
    (id) => {
      expect(() => fillUrl('https://api.acme.example/orders/{id}', { id })).toThrow(ToolFailure);
    },
  );

  test.each([
    '%2e',
    '%2E%2e',
    '%2f',
    '...',
    '.a',
    '55/12',
    'a\\b',
    '?x=1',
    '#x',
    ';x',
    '%',
    'a\tb',
  ])('that is %j stays one segment', (id) => {
    const url = fillUrl('https://api.acme.example/orders/{id}', { id });
    expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'orders', id]);
    expect([url.host, url.search, url.hash]).toEqual(['api.acme.example', '', '']);
  });

  test('cannot become dots together with the rest of its segment', () => {
    expect(() => fillUrl('https://api.acme.example/orders/.{id}', { id: '.' })).toThrow(
      ToolFailure,
    );
    expect(() => fillUrl('https://api.acme.example/orders/%2e{id}', { id: '.' })).toThrow(
      ToolFailure,
    );
  });

  test('keeps the segments of the template, or is rejected', () => {
    const special = fc.constantFrom(
      '.',
      '..',
      '%2e',
      '%2F',
      '/',
      '\\',
      '\t',
      '\n',
      ' ',
      '?',
      '#',
      '{}',
    );
    const argument = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(special, fc.string()), { maxLength: 4 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(argument, argument, (id, item) => {
        let url: URL;
        try {
          url = fillUrl(template, { id, item });
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
          return;
        }
        expect(url.origin).toBe('https://api.acme.example');
        expect(url.search).toBe('?fixed=1');
        const segments = url.pathname.split('/').map(decodeURIComponent);
        expect(segments).toEqual(['', 'v1', 'orders', id, 'items', `a${item}`]);
      }),
      { numRuns: 300 },
    );
  });
});
