import type { Stoppable } from './stop-all.ts';
import { exitAtDeadline } from './stop-deadline.ts';

const hanging = () => new Promise<void>(() => {});

function runToDeadline(started: Stoppable[]): Promise<{ code: number; told: string[] }> {
  const told: string[] = [];
  const ending = Promise.withResolvers<{ code: number; told: string[] }>();
  exitAtDeadline({
    ...{ deadlineMs: 10, lastStopMs: 50, started },
    tell: (line) => void told.push(line),
    exit: (code) => ending.resolve({ code, told }),
  });
  return ending.promise;
}

describe('exitAtDeadline', () => {
  it('stops what would outlive the process before it ends', async () => {
    const stopped: string[] = [];
    const { code } = await runToDeadline([
      { name: 'database', isOutliving: true, stop: async () => void stopped.push('database') },
      { name: 'app', stop: hanging },
    ]);
    expect(code).toBe(1);
    expect(stopped).toEqual(['database']);
  });

  it('ends although that hangs too', async () => {
    const { code, told } = await runToDeadline([{ name: 'database', isOutliving: true, stop: hanging }]);
    expect(code).toBe(1);
    expect(told).toEqual([
      'Still not stopped after 0.01 s; giving up.',
      'Stopping database failed: no end after 0.05 s',
    ]);
  });
});
