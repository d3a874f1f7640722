import { matchPath } from './match-path.ts';

describe('matchPath', () => {
  it.each([
    ['/', '/', {}],
    ['/events', '/events', {}],
    ['/events/:id', '/events/1', { id: '1' }],
    ['/policies/:type', '/policies/a%2Fb', { type: 'a/b' }],
    ['/policies/:type', '/policies/%', { type: '%' }],
    ['/endpoints/:id/edit', '/endpoints/7/edit', { id: '7' }],
    ['/events/:id', '/events', undefined],
    ['/events/:id', '/events/1/2', undefined],
    ['/events/:id', '/lanes/1', undefined],
  ])('%s on %s', (pattern, path, parameters) => {
    expect(matchPath(pattern, path)).toEqual(parameters);
  });
});
