import { openResponse } from '../../test/open-response.js';
import { EventStream } from './event-stream.js';

const MESSAGE = { text: 'x'.repeat(100_000) };

describe('EventStream', () => {
  it('drops messages for a reader that does not read, and lets go of one that never does', async () => {
    const { response, reader, close } = await openResponse();
    const stream = new EventStream(response);
    const closed = Promise.withResolvers<void>();
    stream.onClose(closed.resolve);

    const sizes: number[] = [];
    let sent = 0;
    while (stream.isOpen && sent < 100_000) {
      stream.send('now', MESSAGE);
      sizes.push(response.writableLength);
      sent += 1;
      await new Promise(setImmediate);
    }
    await closed.promise;
    expect(stream.isOpen).toBe(false);
    expect(Math.max(...sizes)).toBeLessThan(500_000);
    stream.send('now', MESSAGE);
    reader.destroy();
    await close();
  });

  it('ends though its reader has not read everything, so that the server can close', async () => {
    const { response, reader, close } = await openResponse();
    const stream = new EventStream(response);
    while (response.writableLength === 0) {
      stream.send('now', MESSAGE);
      await new Promise(setImmediate);
    }
    stream.end();
    await close();
    expect(stream.isOpen).toBe(false);
    reader.destroy();
  });
});
