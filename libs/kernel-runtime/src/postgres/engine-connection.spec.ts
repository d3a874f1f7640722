import { Writable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { answerWithin, DeadlineExceededError, sendInOnePiece, type Connection } from './engine-connection.js';

describe('answerWithin', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('gives up a connection that neither answers nor closes', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    let ends = 0;
    // Like `pg` after an error without the message that closes an answer: sends a terminate and waits for the server.
    const silent = { pipeline: true, end: () => new Promise(() => ends++) } as unknown as Connection;
    const never = () => new Promise<never>(() => undefined);
    await expect(answerWithin(silent, 20, never)).rejects.toThrow(DeadlineExceededError);
    expect([ends, silent.pipeline]).toEqual([1, false]);
  });
});

describe('sendInOnePiece', () => {
  /** A connection over a socket that counts its writes. */
  function connect(query: (text: string, socket: Writable) => Promise<unknown>) {
    const writes: string[] = [];
    const socket = new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => done(void writes.push(chunk)),
      writev: (chunks, done) => done(void writes.push(chunks.map(({ chunk }) => chunk as string).join())),
    });
    const connection = { connection: { stream: socket }, query: (text: string) => query(text, socket) };
    return { connection: connection as unknown as Connection, socket, writes };
  }

  it('writes all statements at once, and reports it before their answers', async () => {
    const { connection, writes } = connect(async (text, socket) => socket.write(text));
    const seen: string[][] = [];
    const answers = await sendInOnePiece(connection, ['begin', 'select', 'commit'], () => seen.push([...writes]));
    expect(seen).toEqual([['begin,select,commit']]);
    expect(answers).toHaveLength(3);
    expect(connection.pipeline).toBe(false);
  });

  it('uncorks the socket if sending throws', async () => {
    const { connection, socket } = connect((text, sink) => {
      sink.write(text);
      throw new TypeError('not a statement');
    });
    await expect(sendInOnePiece(connection, ['begin'])).rejects.toThrow('not a statement');
    expect([socket.writableCorked, connection.pipeline]).toEqual([0, false]);
  });
});
