/** Validates database URLs. Rejects parameters that the driver would ignore or interpret differently, and says what to do instead. */
import { readFileSync } from 'node:fs';
import { errorCode } from '../lib/errors/error-code.js';
import {
  defaultConnectTimeoutS,
  maxConnectTimeoutS,
  namesSeveralHosts,
  parseDatabaseUrl,
} from '../lib/net/database-url.js';
import type { Reader } from './environment.js';

const example = 'postgresql://user:password@host:5432/database';
const modes = ['disable', 'require', 'verify-ca', 'verify-full'];
const files = ['sslrootcert', 'sslcert', 'sslkey'];

const onePrimary =
  'Name one address that leads to the primary, such as that of HAProxy, of a Kubernetes Service or of a managed PostgreSQL.';

/** Undefined if the variable is not usable; `read.problems` then says why. Problems never repeat the value, which may contain a password. */
export function readDatabaseUrl(read: Reader, name: string): string | undefined {
  const text = read.text(name);
  if (text === undefined) return undefined;
  const problems = problemsOf(text);
  read.problems.push(...problems.map((problem) => `${name} ${problem}`));
  return problems.length === 0 ? text : undefined;
}

function problemsOf(text: string): string[] {
  if (namesSeveralHosts(text)) {
    return [`names several hosts, but the service does not choose among them. ${onePrimary}`];
  }
  const url = parseDatabaseUrl(text);
  if (url === undefined) return [`must be a URL such as ${example}.`];
  const { host, parameters } = url;
  return [
    ...schemaProblems(parameters.get('schema')),
    ...sessionProblems(parameters.get('target_session_attrs')),
    ...timeoutProblems(parameters.get('connect_timeout')),
    ...tlsProblems(parameters, host.startsWith('/')),
  ];
}

/** Prisma's own tools support this parameter, but the driver ignores it and would use another schema than the URL says. */
function schemaProblems(schema: string | null): string[] {
  if (schema === null || schema === 'public') return [];
  return [
    `has ?schema=${schema}, but the tables of the service are in the schema public. ` +
      'Remove the parameter; to separate them from other tables, give the service its own database.',
  ];
}

function sessionProblems(wanted: string | null): string[] {
  if (wanted === null || wanted === 'any') return [];
  return [
    `has target_session_attrs=${wanted}, which the service does not check. Remove it. ${onePrimary}`,
  ];
}

function timeoutProblems(seconds: string | null): string[] {
  const isUsable =
    seconds === null || (/^[1-9]\d?$/.test(seconds) && Number(seconds) <= maxConnectTimeoutS);
  if (isUsable) return [];
  return [
    `has connect_timeout=${seconds}, but must have a whole number of seconds from 1 to ${maxConnectTimeoutS}. Without it, ${defaultConnectTimeoutS} seconds apply.`,
  ];
}

function tlsProblems(parameters: URLSearchParams, isSocket: boolean): string[] {
  const mode = parameters.get('sslmode');
  const has = (name: string) => parameters.get(name) !== null;
  if (mode !== null && !modes.includes(mode)) {
    return [
      `has sslmode=${mode}, but must have one of ${modes.join(', ')}: either every connection is encrypted, or none is.`,
    ];
  }
  const named = files.filter(has);
  if (mode === null || mode === 'disable') {
    return named.map((name) => `has ${name} without TLS. Add sslmode=verify-full.`);
  }
  if (isSocket) {
    return [`has sslmode=${mode} with a socket, which is never encrypted. Remove sslmode.`];
  }
  return [
    ...(mode === 'verify-ca' && !has('sslrootcert')
      ? [
          'has sslmode=verify-ca without sslrootcert, the file with the certificate authority. Add it, or use verify-full.',
        ]
      : []),
    ...(has('sslcert') === has('sslkey') ? [] : ['must have sslcert and sslkey together.']),
    ...named.flatMap((name) => fileProblems(name, parameters.get(name) ?? '')),
  ];
}

function fileProblems(name: string, file: string): string[] {
  try {
    readFileSync(file);
    return [];
  } catch (error) {
    const otherwise =
      name === 'sslrootcert' ? ' Without it, verify-full trusts the well-known authorities.' : '';
    return [
      `has ${name}=${file}, which cannot be read (${errorCode(error) ?? 'unknown'}).${otherwise}`,
    ];
  }
}
