import { EndpointVersions } from './endpoint-versions.js';

describe('EndpointVersions', () => {
  it('tell whether an endpoint has changed since a moment', () => {
    const changes = new EndpointVersions();
    const before = changes.count;
    changes.note('a');
    const after = changes.count;
    expect(changes.hasChanged('a', before)).toBe(true);
    expect(changes.hasChanged('a', after)).toBe(false);
    expect(changes.hasChanged('b', before)).toBe(false);
  });

  it('forget what is old, and then take every endpoint for changed rather than miss one', () => {
    const changes = new EndpointVersions();
    const before = changes.count;
    Array.from({ length: 10_001 }, (_, n) => changes.note(`endpoint-${n}`));
    expect(changes.hasChanged('endpoint-0', before)).toBe(true);
    expect(changes.hasChanged('endpoint-0', changes.count)).toBe(false);
  });
});
