/** The programs in the documentation, each marked by a comment: `<!-- sample: express -->`. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { root } from './workspace.js';

export function sampleIn(file: string, name: string): string {
  const page = readFileSync(path.join(root, file), 'utf8');
  const [, code] =
    new RegExp(`<!-- sample: ${name} -->\\s+\`\`\`\\w+\\n([\\s\\S]+?)\\n\`\`\``).exec(page) ?? [];
  if (code === undefined) throw new Error(`${file} has no sample '${name}'.`);
  return `${code}\n`;
}

interface Sample {
  folder: string;
  /** In TypeScript. */
  code: string;
  /** The program, which imports the sample; by default the sample is the program. */
  entry?: string;
}

/** Writes the sample into the folder, and returns the name of the program there. */
export async function bundleSample({
  folder,
  code,
  entry = `import './sample.ts';`,
}: Sample): Promise<string> {
  await writeFile(path.join(folder, 'sample.ts'), code);
  await build({
    stdin: { contents: entry, resolveDir: folder, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: path.join(folder, 'sample.cjs'),
    nodePaths: [path.join(root, 'node_modules')],
    external: ['pg-native'],
    alias: { '@agent-hosting/client': path.join(root, 'client/src/webhooks.ts') },
    logLevel: 'error',
  });
  return 'sample.cjs';
}
