/** Files that tests write, in a folder that is removed after them. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Authority } from '../crypto/certificates.js';
import { useFixture } from '../service/fixture.js';
import { temporaryFolder } from './workspace.js';

export interface TestFiles {
  path: (name: string) => string;
  /** Writes a file, replacing an existing one, and returns its path. */
  write: (name: string, content: string) => Promise<string>;
}

/** A folder for the tests of the file. */
export function useFiles(): TestFiles {
  return useFixture(createFiles);
}

/** A certificate issued by the authority for a service on this machine, as service variables. */
export function useTlsFiles(authority: Authority): { TLS_CERT: string; TLS_KEY: string } {
  return useFixture(async () => {
    const files = await createFiles();
    const { cert, key } = authority.issue({ name: 'service', hosts: ['127.0.0.1'] });
    return {
      TLS_CERT: await files.write('cert.pem', cert),
      TLS_KEY: await files.write('key.pem', key),
    };
  });
}

export async function createFiles(): Promise<TestFiles> {
  const folder = await temporaryFolder();
  const place = (name: string) => path.join(folder, name);
  return {
    path: place,
    write: async (name, content) => {
      await writeFile(place(name), content);
      return place(name);
    },
  };
}
