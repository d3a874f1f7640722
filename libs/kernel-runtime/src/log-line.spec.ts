import { inspect } from 'node:util';
import { ConsoleLogger } from '@nestjs/common';
import { logLine } from './log-line.js';

const line = () =>
  logLine({
    msg: 'delivery attempt',
    eventId: 'e-1',
    statusCode: null,
    errorClass: undefined,
    fault: {
      type: 'Error',
      message: 'not yet',
      stack: ['at a', 'at b'],
      cause: { type: 'Error', message: 'two\nlines' },
    },
  });

describe('logLine', () => {
  it("is one line of Nest's own logger, with every field that has a value", () => {
    const written: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text: string) => written.push(text) > 0;
    try {
      new ConsoleLogger('Test', { colors: false }).log(line());
    } finally {
      process.stdout.write = write;
    }
    const [text] = written;
    expect(text!.trimEnd()).not.toContain('\n');
    expect(text).toContain(
      "delivery attempt eventId=e-1 fault={ type: 'Error', message: 'not yet', stack: [ 'at a', 'at b' ]",
    );
    expect(text).not.toContain('statusCode');
  });

  it('escapes texts that look like other fields or lines', () => {
    const text = inspect(logLine({ msg: 'delivery attempt', type: 'x outcome=delivered\r\nnext' }));
    expect(text).toBe('delivery attempt type="x outcome=delivered\\r\\nnext"');
  });

  it('is its fields to structured loggers', () => {
    expect({ ...line() }).toMatchObject({ msg: 'delivery attempt', eventId: 'e-1', statusCode: null });
    expect(JSON.parse(JSON.stringify(line()))).toMatchObject({ msg: 'delivery attempt', eventId: 'e-1' });
  });
});
