/**
 * Adds pages to the documentation of the operations. Each page is a tag without operations, so its headings appear in the menu
 * and in the search.
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { serviceVersion } from '../../server/contract/project-files.js';
import type { Contract } from '../lib/contract.js';
import { followObject, isObject } from '../lib/json.js';
import { inProject } from '../lib/project.js';
import { manifestReference } from './manifest-reference.js';

/** The Markdown files that are pages, in the order of the menu, with their titles in the menu. */
const guides = new Map([
  ['docs/quick-start.md', 'Quick start'],
  ['docs/agents.md', 'Agent features'],
  ['docs/conversations.md', 'Conversations'],
  ['docs/try-before-you-deploy.md', 'Try before you deploy'],
  ['docs/tools.md', 'Function calling and tools'],
  ['docs/acting-for-the-user.md', 'Acting for the user'],
  ['docs/long-runs-and-approvals.md', 'Long runs and approvals'],
  ['docs/schedules.md', 'Schedules'],
  ['docs/agents-that-work-together.md', 'Agents that work together'],
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

/** Returns the contract with the pages in groups before and after its own tags. */
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
      title: 'Contract changelog',
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
  // The page replaces this URL with its own.
  const [server] = contract.servers ?? [];
  if (server) shown.servers = [{ ...server, description: 'The service' }];
  // The version that the service and the command line print.
  shown.info.version = serviceVersion;
  // The contact and the external documentation differ for each installation.
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

/** Derives the anchor of a heading as Redoc does. */
function addressOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** Adds relative links, since the contract is always served beside the page. */
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
  const opening = 'Every error code with its status, its meaning, and example messages.';
  return [opening, ...entries].join('\n\n');
}

function messageOf(example: unknown): { code: string; text: string }[] {
  const value = isObject(example) && isObject(example['value']) ? example['value'] : {};
  const { error } = value;
  return isObject(error) ? [{ code: String(error['code']), text: String(error['message']) }] : [];
}

/** Removes the title and comments. Links to other pages are adapted, and links to other files are replaced by their text. */
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
        const suffix = heading === undefined ? '' : `/${heading}`;
        return `[${label}](#/${addressOf(title)}${suffix})`;
      },
    );
}
