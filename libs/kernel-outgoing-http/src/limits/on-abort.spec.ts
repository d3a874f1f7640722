import { jest } from '@jest/globals';
import { onAbort } from './on-abort.js';

describe('onAbort', () => {
  it('tells everybody who waits, once', () => {
    const controller = new AbortController();
    const listeners = [jest.fn(), jest.fn()];
    listeners.forEach((listener) => onAbort(controller.signal, listener));

    controller.abort();

    listeners.forEach((listener) => expect(listener).toHaveBeenCalledTimes(1));
  });

  it('tells nobody who has taken it back', () => {
    const controller = new AbortController();
    const [gone, staying] = [jest.fn(), jest.fn()];
    const takeBack = onAbort(controller.signal, gone);
    onAbort(controller.signal, staying);

    takeBack();
    controller.abort();

    expect(gone).not.toHaveBeenCalled();
    expect(staying).toHaveBeenCalledTimes(1);
  });

  it('asks the signal once, however many come and go', () => {
    const { signal } = new AbortController();
    const added = jest.spyOn(signal, 'addEventListener');

    for (let count = 0; count < 100; count++) {
      onAbort(signal, () => undefined)();
    }

    expect(added).toHaveBeenCalledTimes(1);
  });
});
