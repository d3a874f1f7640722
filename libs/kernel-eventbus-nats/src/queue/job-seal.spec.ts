import { randomBytes } from 'node:crypto';
import { JobSeal } from './job-seal.js';

describe('the seal of jobs', () => {
  const key = randomBytes(32).toString('base64');
  const newer = randomBytes(32).toString('base64');
  const value = { url: 'https://receiver.example/', body: '{"é":1}' };

  it('[KER-6c] opens what was sealed, with this key or the one before it, and answers with the same', () => {
    const sealed = new JobSeal({ key }).seal(value, 'job 1');
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('receiver');
    const opened = new JobSeal({ key: newer, previousKey: key }).open(sealed, 'job 1')!;
    expect(opened.value).toEqual(value);
    expect(new JobSeal({ key }).open(opened.answerWith.seal('fine', 'outcome 1'), 'outcome 1')!.value).toBe('fine');
  });

  it.each<[string, (sealed: Uint8Array) => Uint8Array, string, string]>([
    ['another key', (sealed) => sealed, 'job 1', newer],
    ['another job', (sealed) => sealed, 'job 2', key],
    ['a changed byte', (sealed) => sealed.with(-1, sealed.at(-1)! ^ 1), 'job 1', key],
    ['nearly nothing', () => new Uint8Array(3), 'job 1', key],
  ])('does not open with %s', (_what, tamper, about, openedWith) => {
    const sealed = tamper(new Uint8Array(new JobSeal({ key }).seal(value, 'job 1')));
    expect(new JobSeal({ key: openedWith }).open(sealed, about)).toBeUndefined();
  });
});
