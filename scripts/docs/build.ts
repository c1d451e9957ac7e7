/** Renders the contract as one HTML file without external resources. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asJson, bundleContract } from '../generate/bundle.js';
import { withCodeSamples } from '../generate/code-samples.js';
import { closeAnswers } from '../lib/closed-contract.js';
import type { Contract } from '../lib/contract.js';
import { Failure } from '../lib/failure.js';
import { inProject } from '../lib/project.js';
import { redocly } from '../lib/redocly.js';
import { withPages } from './pages.js';

export async function buildDocs(spec: string): Promise<string> {
  const contract = await withPages(await bundleContract(spec), spec);
  const folder = await mkdtemp(path.join(tmpdir(), 'docs-'));
  try {
    const bundle = path.join(folder, 'openapi.json');
    const page = path.join(folder, 'index.html');
    await writeFile(bundle, asJson(withCodeSamples(closeAnswers(contract))));
    const { code, stderr } = await redocly([
      'build-docs',
      bundle,
      `--output=${page}`,
      '--inlineBundle',
      `--template=${inProject('scripts/docs/template.html')}`,
      `--title=${contract.info.title}`,
      ...(await templateOptions(contract)),
    ]);
    if (code !== 0) throw new Failure(stderr);
    return withOwnAddress(withWorkingLinks(withLocalCredit(await readFile(page, 'utf8'))));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function templateOptions({ info }: Contract): Promise<string[]> {
  const [logo, css] = await Promise.all(
    ['logo.svg', 'style.css'].map((name) => readFile(inProject('scripts/docs', name), 'utf8')),
  );
  const image = dataUrl(logo ?? '');
  const identity = `:root { --product-name: '${info.title}'; --product-logo: url("${image}"); }`;
  return [
    `--templateOptions.description=${info.summary ?? info.title}`,
    `--templateOptions.logo=${image}`,
    `--templateOptions.style=<style>${identity}\n${css ?? ''}</style>`,
  ];
}

/** Redoc loads its logo from a CDN for the credit below the menu; this inlines a text instead. */
function withLocalCredit(html: string): string {
  const credit =
    '<svg xmlns="http://www.w3.org/2000/svg" width="36" height="14">' +
    '<text y="11" font-family="system-ui" font-size="11" fill="#64748b">Redoc</text></svg>';
  const logo = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;
  return html.replace(logo, dataUrl(credit));
}

/**
 * Redoc renders menu entries with paths below the root of the server, which do not exist; clicks are handled by the page itself,
 * with `#/…`. With this they also work when they are opened in a new tab.
 */
function withWorkingLinks(html: string): string {
  return html.replaceAll(/(<a [^>]*href=")\//g, '$1#/');
}

/** `atThisAddress` in the template inserts the URL of the service that serves the page into the samples. */
function withOwnAddress(html: string): string {
  const call = 'hydrate(__redoc_definition,';
  if (!html.includes(call)) throw new Failure(`Redoc's page has no ${call} to adapt.`);
  return html.replace(call, 'hydrate(atThisAddress(__redoc_definition),');
}

function dataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
