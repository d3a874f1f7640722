import type { Observation } from '../ingest/observation.js';
import { summariseFlow } from './summarise-flow.js';

const observation = (changes: Partial<Observation>): Observation => ({
  site_id: 'A1',
  name: 'Bridge',
  river: 'Kaw',
  latitude: 39.12345,
  longitude: -95.98765,
  observed_at: '2025-11-10T06:00:00Z',
  discharge_cfs: 100,
  access: 'open',
  sovereignty: 'none',
  governance_ref: 'kfm:public',
  ...changes,
});

const RESTRICTED = { site_id: 'R1', access: 'restricted', sovereignty: 'Nation', governance_ref: 'kfm:n' } as const;

describe('summariseFlow', () => {
  it('[KFM-13] gives mean and maximum of each site in cubic metres per second', () => {
    const summary = summariseFlow([
      observation({ discharge_cfs: 300, observed_at: '2025-11-12T00:00:00+06:00' }),
      observation({}),
      observation({ site_id: 'A0', discharge_cfs: 0 }),
    ]);
    expect(summary.sites.open).toMatchObject([
      { siteId: 'A0', observations: 1, meanFlowCms: 0, maxFlowCms: 0 },
      { siteId: 'A1', observations: 2, meanFlowCms: 5.663, maxFlowCms: 8.495, coordinates: [-95.98765, 39.12345] },
    ]);
    expect(summary.period).toEqual({ from: '2025-11-10T06:00:00.000Z', to: '2025-11-11T18:00:00.000Z' });
    expect(summary).toMatchObject({ careLabel: 'open', sovereignty: 'none', governanceRef: 'kfm:public' });
  });

  it('[KFM-7] knows restricted sites to two decimals only, and labels all of it by them', () => {
    const other = { ...RESTRICTED, site_id: 'R2', sovereignty: 'Another Nation' };
    const summary = summariseFlow([observation({}), observation(RESTRICTED), observation(other)]);
    expect(summary.sites.restricted.map(({ coordinates }) => coordinates)).toEqual([
      [-95.99, 39.12],
      [-95.99, 39.12],
    ]);
    expect(summary).toMatchObject({
      careLabel: 'restricted',
      sovereignty: 'Another Nation, Nation',
      governanceRef: 'kfm:n',
    });
    expect(JSON.stringify(summary.sites.restricted)).not.toContain('39.123');
  });

  it('[KFM-5] gives the same whatever the order of the lines', () => {
    const lines = [0.1, 0.2, 0.3, 1e6, 7].map((flow) => observation({ discharge_cfs: flow }));
    const shuffled = [lines[3]!, lines[0]!, lines[4]!, lines[2]!, lines[1]!];
    expect(summariseFlow(shuffled)).toEqual(summariseFlow(lines));
  });
});
