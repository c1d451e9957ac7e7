/** Parses the Prefer header (RFC 7240). */

/** Returns values by lower-case name; the first value of a name counts. Parameters are ignored. */
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

/** The text between commas outside of quotes. An unclosed quote extends to the end, so that no text is scanned twice. */
const members = /(?:"(?:[^"\\]|\\[^])*(?:"|\\?$)|[^,"])+/g;

/** A name with an optional value. */
const preference = /^\s*([^\s,;="]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/;
