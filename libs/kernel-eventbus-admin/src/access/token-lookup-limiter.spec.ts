import { TokenLookupLimiter } from './token-lookup-limiter.js';

const SOURCE = '192.0.2.1';

function setup() {
  const turns = new TokenLookupLimiter();
  const looks: PromiseWithResolvers<string>[] = [];
  const look = () => {
    looks.push(Promise.withResolvers<string>());
    return looks.at(-1)!.promise;
  };
  return { turns, looks, look };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('TokenLookupLimiter', () => {
  it('let one source look once at a time, a few wait, and turn the others away at once', async () => {
    const { turns, looks, look } = setup();
    const asked = Array.from({ length: 20 }, () => turns.take(SOURCE, look));
    expect(await Promise.all(asked.slice(4))).toEqual(Array(16).fill(undefined));
    expect(looks).toHaveLength(1);
    for (const n of [0, 1, 2, 3]) {
      looks[n]!.resolve(`found ${n}`);
      expect(await asked[n]).toBe(`found ${n}`);
      await settled();
      expect(looks).toHaveLength(Math.min(n + 2, 4));
    }
  });

  it('go on behind a look that failed, and hold up no other source', async () => {
    const { turns, looks, look } = setup();
    const [first, second] = [turns.take(SOURCE, look), turns.take(SOURCE, look)];
    const other = turns.take('192.0.2.2', look);
    await settled();
    expect(looks).toHaveLength(2);
    looks[0]!.reject(new Error('down'));
    await expect(first).rejects.toThrow('down');
    looks[1]!.resolve('other');
    expect(await other).toBe('other');
    await settled();
    looks[2]!.resolve('second');
    expect(await second).toBe('second');
  });
});
