/** Files that a test writes, in a folder that is gone after it. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from './workspace.js';

export interface TestFiles {
  path: (name: string) => string;
  /** Writes a file, over an earlier one of that name, and returns its path. */
  write: (name: string, content: string) => Promise<string>;
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
