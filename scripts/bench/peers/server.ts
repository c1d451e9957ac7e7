/** What a server that is compared says about itself. */
import type { Load } from '../lib/load.js';
import { sessionLength } from '../lib/loads.js';

/** How an agent is invoked. The peers have an agent of that name for each. */
export type Kind = 'plain' | 'remembering' | 'remote';

export const kinds: Record<Kind, string> = {
  plain: 'A message, of which nothing is remembered',
  remembering: 'A message of a conversation',
  remote: 'A message of a conversation, and a model over HTTP',
};

export interface Server {
  /** With its version. */
  title: string;
  databaseUrl: string;
  /** Returns its URL. */
  start: (port: number) => Promise<string>;
  /** What to send it in a round. */
  load: (url: string, kind: Kind) => Load | Promise<Load>;
  installed: Installation;
}

/** What has to be on the disk of a machine that runs the server. */
export interface Installation {
  /** Has a lock file and node_modules. */
  folder: string;
  /** Whether packages that are optional are left out. */
  omitOptional?: boolean;
  /** What is there beside the packages, in the folder. */
  files: string[];
}

export const user = 'user-2041';
/** Each connection has its own, and begins another one after some messages. */
export const conversation = `{unique:${sessionLength}}`;
