import { jest } from '@jest/globals';
import { abortedWith } from './abort-listeners.js';

describe('abortedWith', () => {
  it('aborts the works that are still in the set, once', () => {
    const controller = new AbortController();
    const [gone, staying] = [{ abort: jest.fn() }, { abort: jest.fn() }];
    abortedWith(controller.signal).add(gone).add(staying).delete(gone);

    controller.abort();

    expect(gone.abort).not.toHaveBeenCalled();
    expect(staying.abort).toHaveBeenCalledTimes(1);
  });

  it('adds one listener to the signal, however many works come and go', () => {
    const { signal } = new AbortController();
    const added = jest.spyOn(signal, 'addEventListener');

    for (let count = 0; count < 100; count++) {
      const work = { abort: () => undefined };
      abortedWith(signal).add(work).delete(work);
    }

    expect(added).toHaveBeenCalledTimes(1);
  });
});
