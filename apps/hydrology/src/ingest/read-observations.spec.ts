import { InputRejectedError } from './input-rejected.error.js';
import { readObservations } from './read-observations.js';

const HEADER = 'site_id,name,river,latitude,longitude,observed_at,discharge_cfs,access,sovereignty,governance_ref';
const LINE = 'A1,Bridge,Kaw,39.1,-95.2,2025-11-10T06:00:00Z,12.5,open,none,kfm:public';

const csv = (...lines: string[]) => [HEADER, ...lines].join('\n');

describe('readObservations', () => {
  it('[KFM-13] reads a line by its columns', () => {
    const quoted = LINE.replace('Bridge', '"Bridge, old"');
    expect(readObservations(`\uFEFF${csv(quoted, '')}`)).toEqual([
      {
        site_id: 'A1',
        name: 'Bridge, old',
        river: 'Kaw',
        latitude: 39.1,
        longitude: -95.2,
        observed_at: '2025-11-10T06:00:00Z',
        discharge_cfs: 12.5,
        access: 'open',
        sovereignty: 'none',
        governance_ref: 'kfm:public',
      },
    ]);
  });

  it.each([
    ['nothing', '', 'it has no observations'],
    ['a header alone', HEADER, 'it has no observations'],
    ['a line that is too short', csv(LINE, 'A2,Bridge'), 'it is no CSV with a line of column names'],
    ['a quote that does not end', csv('"A1'), 'it is no CSV'],
    ['an unknown column', `${HEADER},owner\n${LINE},Ada`, 'line 2: Unrecognized key'],
    ['a missing column', csv(LINE).replaceAll(',access', ',excess'), 'line 2: access must be open or restricted'],
    ['a latitude beyond the pole', csv(LINE.replace('39.1', '91')), 'line 2: latitude must be a number from -90 to 90'],
    ['a negative flow', csv(LINE, LINE.replace('12.5', '-1')), 'line 3: discharge_cfs must be a number'],
    ['a time that is none', csv(LINE.replace('2025-11-10T06:00:00Z', 'today')), 'line 2: observed_at must be a time'],
    ['an id with a path in it', csv(LINE.replace('A1', '../A1')), 'line 2: site_id must be'],
    ['a restricted site of nobody', csv(LINE.replace('open', 'restricted')), 'line 2: sovereignty must name'],
    [
      'a site that is open in one line and restricted in another',
      csv(LINE, LINE.replace('open,none', 'restricted,Nation')),
      'line 3: access, sovereignty differ from an earlier line of the same site',
    ],
  ])('refuses %s', (_, text, problem) => {
    expect(() => readObservations(text)).toThrow(InputRejectedError);
    expect(() => readObservations(text)).toThrow(problem);
  });
});
