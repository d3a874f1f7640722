import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { answerWithin, DeadlineExceededError, type Connection } from './engine-connection.js';

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
