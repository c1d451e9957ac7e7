/**
 * A TCP connection to an untrusted server. What it receives is passed on in small pieces, and all of these connections
 * together get half of the event loop's time to process them: a few kilobytes can hold hundreds of informational
 * responses, chunks of one byte or TLS records, each of which costs a thousand times more than its bytes.
 */
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createLoopShare, type Worker } from '../async/loop-share.js';

const pieceBytes = 4_096;
const processing = createLoopShare({ share: 0.5, burstMs: 2 });

export class PacedSocket extends Duplex {
  readonly #socket: Socket;
  #cost: Worker = { spentMs: 0 };
  #bytesLeft = Infinity;
  #onExcess: () => void = () => undefined;
  #isWanted = false;
  #isWaiting = false;

  constructor(options: NetConnectOpts) {
    // Pieces stay in the socket's buffer until they are wanted, so that they are processed in a turn.
    super({ allowHalfOpen: false, readableHighWaterMark: 0 });
    this.#socket = connect(options);
    this.#socket
      .on('readable', () => {
        this.#readInTurn();
      })
      .once('end', () => this.push(null))
      .once('error', (error) => this.destroy(error))
      .once('close', () => {
        if (!this.#socket.readableEnded) this.destroy();
      })
      .on('timeout', () => this.emit('timeout'));
  }

  /** Limits the bytes of the next response, as they arrive: with TLS, headers and the framing of chunks. */
  limitResponse(bytes: number, onExcess: () => void): void {
    this.#bytesLeft = bytes;
    this.#onExcess = onExcess;
    this.#cost = { spentMs: 0 };
  }

  override _read(): void {
    this.#isWanted = true;
    // Later, since a piece that is pushed within a read is processed after it, and would not be timed.
    process.nextTick(() => {
      this.#readInTurn();
    });
  }

  #readInTurn(): void {
    if (!this.#isWanted || this.#isWaiting || this.destroyed) return;
    if (this.#socket.readableLength === 0) {
      // Asks for more, and ends the stream if there is none.
      this.#socket.read();
      return;
    }
    this.#isWaiting = true;
    processing.run(this.#cost, () => {
      this.#isWaiting = false;
      if (!this.destroyed) this.#passOn();
    });
  }

  #passOn(): void {
    const piece: unknown = this.#socket.read(Math.min(pieceBytes, this.#socket.readableLength));
    if (!(piece instanceof Uint8Array)) return;
    this.#bytesLeft -= piece.length;
    if (this.#bytesLeft < 0) {
      this.#onExcess();
      return;
    }
    this.#isWanted = false;
    this.push(piece);
  }

  override _write(
    chunk: Uint8Array,
    _encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    this.#socket.write(chunk, callback);
  }

  override _writev(
    chunks: { chunk: Uint8Array }[],
    callback: (error?: Error | null) => void,
  ): void {
    this.#socket.cork();
    chunks.forEach(({ chunk }, index) => {
      this.#socket.write(chunk, index === chunks.length - 1 ? callback : undefined);
    });
    this.#socket.uncork();
  }

  override _final(callback: () => void): void {
    if (this.#socket.writableEnded || this.#socket.destroyed) callback();
    else this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }

  // node:http calls these on the connections that it keeps.
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms);
    return this;
  }

  setKeepAlive(isEnabled: boolean, initialDelayMs: number): this {
    this.#socket.setKeepAlive(isEnabled, initialDelayMs);
    return this;
  }

  setNoDelay(isEnabled?: boolean): this {
    this.#socket.setNoDelay(isEnabled);
    return this;
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }
}
