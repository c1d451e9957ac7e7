/** The Prefer header of RFC 7240. */

/** The preferences by name, in lower case, each with its value; the first of a name counts. Parameters are left out. */
export function parsePreferences(header = ''): ReadonlyMap<string, string> {
  if (header === '') return none;
  const preferences = new Map<string, string>();
  for (const [member] of header.matchAll(members)) {
    const [, name, quoted, plain = ''] = preference.exec(member) ?? [];
    const key = name?.toLowerCase();
    if (key !== undefined && !preferences.has(key)) preferences.set(key, quoted ?? plain);
  }
  return preferences;
}

const none: ReadonlyMap<string, string> = new Map();

/** What stands between commas outside of quotes. A quote that is not closed reaches to the end, so that no text is read twice. */
const members = /(?:"(?:[^"\\]|\\[^])*(?:"|\\?$)|[^,"])+/g;

/** A name with an optional value. */
const preference = /^\s*([^\s,;="]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/;
