import { resolveConfig } from '../../eventbus.config.js';
import { Pulse, type Moment } from './pulse.js';

const SILENT_MS = 8_000;

describe('the pulse of a worker', () => {
  const start = () => new Pulse(resolveConfig({ masterKey: 'k', heartbeat: { silentMs: SILENT_MS } }));
  const ago = (ms: number): Moment => ({ monotonicMs: performance.now() - ms, wallMs: Date.now() - ms });

  it('is fresh for less than the silence that a rescuer waits for', () => {
    const pulse = start();
    expect(pulse.isFresh).toBe(false);
    pulse.note(ago(0), true);
    expect(pulse.isFresh).toBe(true);
    pulse.note(ago(SILENT_MS - 1_000), false);
    expect(pulse.isFresh).toBe(false);
  });

  it('is not fresh when either clock says that time has passed', () => {
    const pulse = start();
    pulse.note({ ...ago(0), wallMs: Date.now() - SILENT_MS }, true);
    expect(pulse.isFresh).toBe(false);
    pulse.note({ ...ago(0), monotonicMs: performance.now() - SILENT_MS }, false);
    expect(pulse.isFresh).toBe(false);
  });

  it('lets nobody judge others before it has beaten for as long without a gap', () => {
    const pulse = start();
    pulse.note(ago(0), true);
    expect(pulse).toMatchObject({ mayRescue: false, mayTakeExpired: false });

    const steady = start();
    steady.note(ago(SILENT_MS + 1_000), true);
    expect(steady.mayRescue).toBe(false);
    // The first heartbeat after a gap starts a new steady period.
    steady.note(ago(0), false);
    expect(steady.mayRescue).toBe(false);
  });

  it('tells of a gap and of a loss, the loss before anything goes on', async () => {
    const pulse = start();
    const heard: string[] = [];
    pulse.onLost(() => heard.push('lost'));
    pulse.onRecovered(() => heard.push('recovered'));
    pulse.note(ago(SILENT_MS), true);
    expect(heard).toEqual([]);
    const waiting = pulse.untilFresh().then((isFresh) => heard.push(`fresh: ${isFresh}`));
    pulse.note(ago(0), true);
    await waiting;
    expect(heard).toEqual(['lost', 'recovered', 'fresh: true']);
  });

  it('lets nothing wait when the worker stops', async () => {
    const pulse = start();
    const waiting = pulse.untilFresh();
    pulse.stop();
    expect(await waiting).toBe(false);
  });
});
