/** HTTP agents whose connections are `PacedSocket`s. */
import http, { type ClientRequest, type ClientRequestArgs } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { PacedSocket } from './paced-socket.js';

export interface PacedAgents {
  plain: http.Agent;
  secure: https.Agent;
}

/** Unlike the global agents, these ignore proxies in the environment. */
export function createPacedAgents({ keepAlive }: { keepAlive: boolean }): PacedAgents {
  const options = keepAlive ? { keepAlive, timeout: idleMs } : { keepAlive };
  return { plain: new PlainAgent(options), secure: new SecureAgent(options) };
}

/** Shorter than what servers commonly allow, so that they rarely close a connection that gets its next request. */
const idleMs = 4_000;

/** The paced socket beneath a connection of these agents. */
export function pacedSocketOf(connection: Duplex): PacedSocket | undefined {
  return connection instanceof PacedSocket ? connection : beneathTls.get(connection);
}

const beneathTls = new WeakMap<Duplex, PacedSocket>();

class PlainAgent extends http.Agent {
  override createConnection(options: ClientRequestArgs): Duplex {
    return openSocket(options).on('error', ignore);
  }
}

class SecureAgent extends https.Agent {
  /** TLS runs on top of the paced socket, so that it too is paced: an encrypted record can contain a single byte. */
  override createConnection(
    options: https.RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = openSocket(options);
    const connection = super.createConnection(
      // Without the signal, which belongs to the first request and not to the connection.
      Object.assign({ ...options }, { socket, signal: undefined }),
      callback,
    );
    if (connection) beneathTls.set(connection, socket);
    return connection?.on('error', ignore);
  }

  override keepSocketAlive(connection: Duplex): void {
    super.keepSocketAlive(connection);
    beneathTls.get(connection)?.unref();
  }

  override reuseSocket(connection: Duplex, request: ClientRequest): void {
    super.reuseSocket(connection, request);
    beneathTls.get(connection)?.ref();
  }
}

/**
 * For an error between two requests: a request that is aborted while its response ends has let go of the connection
 * when the error is emitted.
 */
const ignore = () => undefined;

function openSocket({ host, port, lookup }: ClientRequestArgs): PacedSocket {
  const target = { host: host ?? undefined, port: Number(port), lookup };
  return new PacedSocket(target);
}
