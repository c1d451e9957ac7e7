/** Reads the Prefer header of RFC 7240. */

/** The value of each preference by its name in lower case; an empty one if it has none. */
export function parsePreferences(header = ''): Map<string, string> {
  const preferences = header.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? [];
  return new Map(
    preferences.map((preference) => {
      const [name = '', value = ''] = /^([^=;]*)=?([^;]*)/.exec(preference)?.slice(1) ?? [];
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')];
    }),
  );
}
