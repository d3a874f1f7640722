import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { EventStream } from './event-stream.js';

describe('EventStream', () => {
  it('drops messages for a reader that does not read, and lets go of one that never does', async () => {
    const opened = Promise.withResolvers<EventStream>();
    let unread = () => 0;
    const server = createServer((_request, response) => {
      unread = () => response.writableLength;
      opened.resolve(new EventStream(response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const stream = await opened.promise;
    const closed = Promise.withResolvers<void>();
    stream.onClose(closed.resolve);

    const message = { text: 'x'.repeat(100_000) };
    const sizes: number[] = [];
    let sent = 0;
    while (stream.isOpen && sent < 100_000) {
      stream.send('now', message);
      sizes.push(unread());
      sent += 1;
      await new Promise(setImmediate);
    }
    await closed.promise;
    expect(stream.isOpen).toBe(false);
    expect(Math.max(...sizes)).toBeLessThan(500_000);
    stream.send('now', message);
    socket.destroy();
    server.close();
  });
});
