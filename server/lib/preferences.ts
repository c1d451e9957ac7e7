/** The Prefer header of RFC 7240. */

/** The preferences by name, in lower case, each with its value; the first of a name counts. Parameters are left out. */
export function parsePreferences(header = ''): ReadonlyMap<string, string> {
  if (header === '') return none;
  const preferences = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of header.matchAll(preference)) {
    const key = name.toLowerCase();
    if (!preferences.has(key)) preferences.set(key, quoted ?? plain);
  }
  return preferences;
}

const none: ReadonlyMap<string, string> = new Map();

/** A name with an optional value, up to the next comma outside of quotes. */
const preference =
  /(?<=^|,)\s*([^\s,;="]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?(?:"(?:[^"\\]|\\.)*"|[^,"])*/g;
