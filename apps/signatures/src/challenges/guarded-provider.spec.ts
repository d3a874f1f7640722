import { waitFor } from '@kernel/eventbus/testing';
import { Logger } from '@nestjs/common';
import type { SignaturesSettings } from '../settings/signatures-settings.js';
import { ChallengeProvider, type Challenge } from './challenge-provider.js';
import { GuardedProvider } from './guarded-provider.js';

class Gateway extends ChallengeProvider {
  override readonly name = 'gateway';
  calls = 0;

  constructor(private readonly behave: () => Promise<void>) {
    super();
  }

  override send(): Promise<void> {
    this.calls++;
    return this.behave();
  }
}

const CHALLENGE = {} as Challenge;
const guard = (gateway: Gateway, provider: SignaturesSettings['provider']) =>
  new GuardedProvider(gateway, { provider } as SignaturesSettings);
const isOpening = (guarded: GuardedProvider) => guarded.tellOpening((opening) => Promise.resolve(opening));

describe('GuardedProvider', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('[AC6] opens after failures in a row, says so once, and does not ask the provider then', async () => {
    const gateway = new Gateway(() => Promise.reject(new Error('down')));
    const guarded = guard(gateway, { failures: 2, openMs: 600_000 });
    expect([await guarded.send(CHALLENGE), await isOpening(guarded)]).toEqual(['failed', false]);
    expect([await guarded.send(CHALLENGE), await isOpening(guarded)]).toEqual(['failed', true]);
    expect([await guarded.send(CHALLENGE), await isOpening(guarded)]).toEqual(['refused', false]);
    expect(gateway.calls).toBe(2);
  });

  it('tells an opening again that could not be told', async () => {
    const guarded = guard(new Gateway(() => Promise.reject(new Error('down'))), { failures: 1, openMs: 600_000 });
    await guarded.send(CHALLENGE);
    const failing = guarded.tellOpening(() => Promise.reject(new Error('the database is down')));
    await expect(failing).rejects.toThrow('the database is down');
    expect([await isOpening(guarded), await isOpening(guarded)]).toEqual([true, false]);
  });

  it('counts a provider that does not answer as one that fails, and a success ends the count', async () => {
    const answers = [() => new Promise<void>(() => undefined), () => Promise.resolve()];
    let calls = 0;
    const guarded = guard(new Gateway(() => answers[calls++ % 2]!()), { failures: 2, timeoutMs: 20 });
    const outcomes = [];
    for (let n = 0; n < 6; n++) {
      outcomes.push(await guarded.send(CHALLENGE));
    }
    expect(outcomes).toEqual(['failed', 'sent', 'failed', 'sent', 'failed', 'sent']);
  });

  it('tries the provider again after a while', async () => {
    let isDown = true;
    const guarded = guard(new Gateway(() => (isDown ? Promise.reject(new Error('down')) : Promise.resolve())), {
      failures: 1,
      openMs: 20,
    });
    expect(await guarded.send(CHALLENGE)).toBe('failed');
    isDown = false;
    await waitFor(async () => (await guarded.send(CHALLENGE)) === 'sent', 'the breaker to let one through');
    expect(await guarded.send(CHALLENGE)).toBe('sent');
  });
});
