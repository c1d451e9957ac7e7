/** The pages of the documentation beside the operations: errors, webhooks, manifests, agents of one's own, changes. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Contract } from '../lib/contract.js';
import { followObject, isObject } from '../lib/json.js';
import { inProject } from '../lib/project.js';
import { manifestReference } from './manifest-reference.js';

/** The contract whose description goes on with these pages: each of its headings becomes an entry of the menu. */
export async function withPages(contract: Contract, spec: string): Promise<Contract> {
  const pages = [
    withDownloads(contract.info.description ?? ''),
    errorCatalogue(contract),
    await pageFrom(inProject('docs/webhooks.md')),
    await manifestReference(),
    await pageFrom(inProject('docs/agents.md')),
    await pageFrom(inProject('docs/http-agents.md')),
    await pageFrom(path.join(spec, 'CHANGELOG.md')),
  ];
  const shown = structuredClone(contract);
  shown.info.description = pages.join('\n\n');
  // The page does not know who runs the installation, nor at which address that serves its contract.
  delete shown.info.contact;
  delete shown.externalDocs;
  return shown;
}

/** Behind the introduction. The links are relative: the contract is beside the page, wherever the page is. */
function withDownloads(description: string): string {
  const downloads =
    'Download this contract: [openapi.json](openapi.json) or [openapi.yaml](openapi.yaml).';
  return description.replace('\n\n', `\n\n${downloads}\n\n`);
}

function errorCatalogue(contract: Contract): string {
  const codes = followObject(contract, { $ref: '#/components/schemas/ErrorCode' });
  const examplesOfAll = followObject(contract, { $ref: '#/components/examples' });
  const meanings = isObject(codes['x-enumDescriptions']) ? codes['x-enumDescriptions'] : {};
  const statuses = isObject(codes['x-http-status']) ? codes['x-http-status'] : {};
  const messages = Object.values(examplesOfAll).flatMap(messageOf);
  const entries = Object.entries(statuses).map(([code, status]) => {
    const examples = messages.filter((message) => message.code === code);
    const quoted = [...new Set(examples.map(({ text }) => `> ${text}`))].join('\n>\n');
    return `**${Number(status)} \`${code}\`** ${String(meanings[code])}\n\n${quoted}`;
  });
  const opening = 'Every code with its status, what it means, and messages that it comes with.';
  return ['## Error catalogue', opening, ...entries].join('\n\n');
}

function messageOf(example: unknown): { code: string; text: string }[] {
  const value = isObject(example) && isObject(example['value']) ? example['value'] : {};
  const { error } = value;
  return isObject(error) ? [{ code: String(error['code']), text: String(error['message']) }] : [];
}

/** A Markdown file as a page, without comments and links to files. Every heading would be an entry of the menu, so only its title is one. */
async function pageFrom(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  let isCode = false;
  return text
    .replaceAll(/<!--.*?-->\n*/gs, '')
    .replaceAll(/\[([^\]]+)\]\(\.\.?\/[^)]*\)/g, '$1')
    .split('\n')
    .map((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      return isCode ? line : line.replace(/^##+ (.+)/, '**$1**').replace(/^# /, '## ');
    })
    .join('\n');
}
