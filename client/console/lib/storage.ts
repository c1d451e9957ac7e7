/** What the browser keeps for the page: the key while the tab lives, if asked to, and the theme. */
import { consoleUrl } from './router.js';

/** Several services may share an origin, behind different prefixes. */
const prefix = `agent-hosting-console:${consoleUrl.pathname}:`;

export interface Stored {
  read: () => string | undefined;
  write: (value: string | undefined) => void;
}

/** Browsers may forbid storage; then nothing is kept. */
export function stored(place: 'localStorage' | 'sessionStorage', name: string): Stored {
  const attempt = <Result>(use: (storage: Storage) => Result): Result | undefined => {
    try {
      return use(window[place]);
    } catch {
      return undefined;
    }
  };
  return {
    read: () => attempt((storage) => storage.getItem(prefix + name)) ?? undefined,
    write: (value) => {
      attempt((storage) => {
        if (value === undefined) storage.removeItem(prefix + name);
        else storage.setItem(prefix + name, value);
      });
    },
  };
}
