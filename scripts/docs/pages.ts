/**
 * The pages of the documentation beside the operations. Each is a tag without operations: so its headings are entries of the menu
 * below it, and the search finds them and leads to them.
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { serviceVersion } from '../../server/contract/project-files.js';
import type { Contract } from '../lib/contract.js';
import { followObject, isObject } from '../lib/json.js';
import { inProject } from '../lib/project.js';
import { manifestReference } from './manifest-reference.js';

/** The Markdown files that are pages, in the order of the menu, and the title that the menu has for them. */
const guides = new Map([
  ['docs/quick-start.md', 'Quick start'],
  ['docs/agents.md', 'Agent features'],
  ['docs/tools.md', 'Function calling and tools'],
  ['docs/http-agents.md', 'HTTP agents'],
  ['docs/webhooks.md', 'Receiving webhooks'],
  ['client/README.md', 'TypeScript SDK'],
  ['docs/cli.md', 'Command line'],
  ['docs/mock.md', 'Mock server'],
  ['docs/troubleshooting.md', 'Troubleshooting'],
  ['docs/configuration.md', 'Configuration'],
  ['docs/operator.md', 'Operator'],
]);

interface Page {
  title: string;
  text: string;
}

/** The contract with the pages in groups before and behind its own tags. */
export async function withPages(contract: Contract, spec: string): Promise<Contract> {
  const [introduction = '', ...sections] = (contract.info.description ?? '').split(/^## /m);
  const basics = sections.map(sectionAsPage);
  const files = Array.from(guides, async ([file, title]) => ({
    title,
    text: await readPage(inProject(file)),
  }));
  const reference = [
    { title: 'Agent manifests', text: await manifestReference() },
    { title: 'Error catalogue', text: errorCatalogue(contract) },
    {
      title: 'Changes of the contract',
      text: await readPage(path.join(spec, 'CHANGELOG.md')),
    },
  ];
  const groups = [
    { name: 'Basics', pages: basics },
    { name: 'Guides', pages: await Promise.all(files) },
    { name: 'Reference', pages: reference },
  ];
  const tagGroups = groups.map(({ name, pages }) => ({
    name,
    tags: pages.map(({ title }) => addressOf(title)),
  }));
  const operations = { name: 'API', tags: (contract.tags ?? []).map(({ name }) => name) };

  const shown = structuredClone(contract);
  shown.info.description = withDownloads(introduction);
  shown.tags = [...(shown.tags ?? []), ...groups.flatMap(({ pages }) => pages).map(asTag)];
  // The page replaces this address by its own.
  const [server] = contract.servers ?? [];
  if (server) shown.servers = [{ ...server, description: 'The service' }];
  // The version that the service and the command line say, too.
  shown.info.version = serviceVersion;
  // The page does not know who runs the installation, nor at which address that serves its contract.
  delete shown.info.contact;
  delete shown.externalDocs;
  return Object.assign(shown, { 'x-tagGroups': tagGroups.toSpliced(2, 0, operations) });
}

function asTag({ title, text }: Page) {
  return {
    name: addressOf(title),
    'x-displayName': title,
    'x-traitTag': true,
    description: text,
  };
}

function sectionAsPage(section: string): Page {
  const end = section.indexOf('\n');
  return { title: section.slice(0, end), text: section.slice(end).trim() };
}

/** As Redoc makes the address of a heading. */
function addressOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** Behind the introduction. The links are relative: the contract is beside the page, wherever the page is. */
function withDownloads(introduction: string): string {
  const downloads =
    'Download this contract: [openapi.json](openapi.json) or [openapi.yaml](openapi.yaml).';
  return `${introduction.trim()}\n\n${downloads}`;
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
  return [opening, ...entries].join('\n\n');
}

function messageOf(example: unknown): { code: string; text: string }[] {
  const value = isObject(example) && isObject(example['value']) ? example['value'] : {};
  const { error } = value;
  return isObject(error) ? [{ code: String(error['code']), text: String(error['message']) }] : [];
}

/** Without its title and its comments. A link to another page leads to it; one to a file that is not a page is only its text. */
async function readPage(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return text
    .replace(/^# .*\n+/, '')
    .replaceAll(/<!--.*?-->\n*/gs, '')
    .replaceAll(
      /\[([^\]]+)\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g,
      (_link, label: string, target: string, heading?: string) => {
        const linked = target === '' ? file : path.join(path.dirname(file), target);
        const title = guides.get(path.relative(inProject(), linked));
        if (title === undefined) return label;
        const place = heading === undefined ? '' : `/${heading}`;
        return `[${label}](#/${addressOf(title)}${place})`;
      },
    );
}
