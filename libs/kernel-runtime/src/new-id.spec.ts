import { validate, version } from 'uuid';
import { newId } from './new-id.js';

describe('new ids', () => {
  it('are version 7, all different, and each is greater than the one before', () => {
    const ids = Array.from({ length: 20_000 }, newId);
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort());
  });

  it('carry the time they were made at', () => {
    const before = Date.now();
    const madeAt = Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16);
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(Date.now() + 1);
  });
});
