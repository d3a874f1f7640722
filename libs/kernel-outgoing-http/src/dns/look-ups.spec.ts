import { waitFor } from '@kernel/eventbus/testing';
import { LookUps, LookUpTimeoutError, type Question } from './look-ups.js';
import type { ResolvedAddress } from './resolver.js';

const found: ResolvedAddress[] = [{ address: '93.184.215.14', family: 4 }];
const { signal } = new AbortController();

function setup({ perTenant = 1, timeoutMs = 60_000 } = {}) {
  const asked: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<ResolvedAddress[]>>();
  const ask: Question = (hostname) => {
    asked.push(hostname);
    answers.set(hostname, Promise.withResolvers());
    return answers.get(hostname)!.promise;
  };
  const limits = { total: 2, perTenant };
  const lookUps = new LookUps({ ask, timeoutMs, limits });
  return { lookUps, asked, answer: (name: string) => answers.get(name)!.resolve(found) };
}

describe('LookUps', () => {
  it('leaves one waiter alone when another gives up', async () => {
    const { lookUps, answer } = setup();
    const impatient = new AbortController();
    const first = lookUps.ask('a.test', 'acme', impatient.signal);
    const second = lookUps.ask('a.test', 'acme', signal);
    impatient.abort(new Error('gave up'));
    await expect(first).rejects.toThrow('gave up');
    answer('a.test');
    expect(await second).toEqual(found);
  });

  it('lets another tenant join what is under way, and no place is lost', async () => {
    const { lookUps, asked, answer } = setup();
    const first = lookUps.ask('a.test', 'acme', signal);
    const waiting = lookUps.ask('b.test', 'acme', signal);
    const other = lookUps.ask('b.test', 'other', signal);
    await Promise.resolve();
    expect(asked).toEqual(['a.test', 'b.test']);
    answer('a.test');
    await first;
    answer('b.test');
    expect(await Promise.all([waiting, other])).toEqual([found, found]);
    expect(asked).toEqual(['a.test', 'b.test']);

    const again = ['c.test', 'd.test'].map((name) => lookUps.ask(name, name, signal));
    await Promise.resolve();
    for (const name of ['c.test', 'd.test']) answer(name);
    expect(await Promise.all(again)).toEqual([found, found]);
  });

  it('asks nobody for one that gave up while it waited', async () => {
    const { lookUps, asked, answer } = setup();
    const first = lookUps.ask('a.test', 'acme', signal);
    const impatient = new AbortController();
    const second = lookUps.ask('b.test', 'acme', impatient.signal);
    impatient.abort(new Error('gave up'));
    await expect(second).rejects.toThrow('gave up');
    answer('a.test');
    await first;
    const third = lookUps.ask('c.test', 'acme', signal);
    await Promise.resolve();
    answer('c.test');
    await third;
    expect(asked).toEqual(['a.test', 'c.test']);
  });

  it('refuses those who wait for a name that has timed out when their turn comes', async () => {
    const { lookUps, asked, answer } = setup({ timeoutMs: 50 });
    const first = lookUps.ask('silent.test', 'acme', signal);
    await expect(first).rejects.toThrow(LookUpTimeoutError);
    // The query continues and holds the tenant's slot.
    const waiting = lookUps.ask('b.test', 'acme', signal);
    await expect(lookUps.ask('silent.test', 'acme', signal)).rejects.toThrow(LookUpTimeoutError);
    expect(asked).toEqual(['silent.test']);
    answer('silent.test');
    await waitFor(() => asked.length === 2, 'the next question');
    answer('b.test');
    expect(await waiting).toEqual(found);
  });

  it('gives up what is under way when it is closed', async () => {
    const { lookUps } = setup();
    const asked = lookUps.ask('a.test', 'acme', signal);
    await Promise.resolve();
    lookUps.close();
    await expect(asked).rejects.toThrow('shutting down');
  });
});
