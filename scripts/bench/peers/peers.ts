/** Mastra and VoltAgent, each with its own server as its documentation has it. */
import path from 'node:path';
import { inProject } from '../../lib/project.js';
import type { BenchEnvironment } from '../lib/environment.js';
import { message, post } from '../lib/loads.js';
import { createDatabase } from './database.js';
import { packageVersion } from './footprint.js';
import { type PeerProject, projectPath } from './install.js';
import { historyLimit } from './settings.mjs';
import { conversation, type Installation, type Kind, type Server, user } from './server.js';

interface Peer {
  project: PeerProject;
  /** The package whose version counts. */
  core: string;
  entry: string;
  /** In projects/. */
  installed: Installation;
  path: (kind: Kind) => string;
  body: (kind: Kind) => object;
}

const mastra: Peer = {
  project: {
    title: 'Mastra',
    folder: 'mastra',
    provides: 'mastra/.mastra/output/index.mjs',
    build: {
      program: 'node_modules/.bin/mastra',
      args: ['build'],
      reads: ['src/mastra/index.js', '../echo-model.mjs', '../../settings.mjs'],
    },
  },
  core: '@mastra/core',
  entry: 'mastra/.mastra/output/index.mjs',
  // What it says to deploy.
  installed: { folder: 'mastra/.mastra/output', files: ['.'] },
  path: (kind) => `/api/agents/${kind}/generate`,
  body: (kind) => ({
    messages: message,
    ...(kind !== 'plain' && { memory: { thread: conversation, resource: user } }),
  }),
};

const voltagent: Peer = {
  project: {
    title: 'VoltAgent',
    folder: 'voltagent',
    provides: 'voltagent/node_modules/@voltagent/core/package.json',
  },
  core: '@voltagent/core',
  entry: 'voltagent/server.mjs',
  installed: { folder: 'voltagent', files: ['server.mjs'] },
  path: (kind) => `/agents/${kind}/text`,
  body: (kind) => ({
    input: message,
    ...(kind !== 'plain' && {
      options: {
        memory: {
          userId: user,
          conversationId: conversation,
          options: { contextLimit: historyLimit },
        },
      },
    }),
  }),
};

export const peers = [mastra, voltagent];

/** Nothing leaves the machine: switches that each documents. */
const quiet = {
  MASTRA_TELEMETRY_DISABLED: '1',
  VOLTAGENT_PUBLIC_KEY: '',
  VOLTAGENT_SECRET_KEY: '',
};

export async function preparePeer(
  { newCluster, start }: BenchEnvironment,
  modelUrl: string,
  { project, core, entry, ...peer }: Peer,
): Promise<Server> {
  const cluster = await newCluster();
  const databaseUrl = await createDatabase(cluster, project.folder);
  const installed = { ...peer.installed, folder: projectPath(peer.installed.folder) };
  const version = await packageVersion(path.join(installed.folder, 'node_modules', core));
  const variables = { ...quiet, DATABASE_URL: databaseUrl, MODEL_URL: modelUrl };
  const args = [inProject('scripts/bench/peers/launch.mjs'), projectPath(entry)];
  return {
    title: `${project.title} ${version}`,
    databaseUrl,
    start: (port) => start(args, { ...variables, PORT: String(port) }, cluster),
    load: (url, kind) => post(url + peer.path(kind), {}, peer.body(kind)),
    installed,
  };
}
