/** Values in the storage of the browser, such as the theme. */
import { consoleUrl } from './router.js';

/** Several services may share an origin under different prefixes. */
const prefix = `agent-hosting-console:${consoleUrl.pathname}:`;

export interface Stored {
  read: () => string | undefined;
  write: (value: string | undefined) => void;
}

/** If the browser forbids storage, nothing is stored. */
export function stored(area: 'localStorage' | 'sessionStorage', name: string): Stored {
  const attempt = <Result>(use: (storage: Storage) => Result): Result | undefined => {
    try {
      return use(window[area]);
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
