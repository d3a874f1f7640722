import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './promtool.js';

interface Service {
  image: string;
  ports?: string[];
  volumes?: string[];
}

describe('docker-compose.yml', () => {
  let services: Record<string, Service>;
  beforeAll(async () => {
    ({ services } = parse(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')) as {
      services: Record<string, Service>;
    });
  });

  it('[ADR-9] has Prometheus and Grafana beside PostgreSQL and NATS, each with a version', () => {
    expect(Object.keys(services).toSorted()).toEqual(['grafana', 'nats', 'postgres', 'prometheus']);
    for (const { image } of Object.values(services)) {
      expect(image).toMatch(/:v?\d/);
    }
  });

  it('is reachable from this machine only', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(3);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('mounts what exists: rules, configuration, data source and dashboard', async () => {
    const mounted = Object.values(services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => volume.startsWith('./'))
      .map((volume) => volume.split(':')[0]!);
    expect(mounted.toSorted()).toEqual([
      './ops/grafana/dashboards',
      './ops/grafana/provisioning',
      './ops/prometheus/alerts.yml',
      './ops/prometheus/prometheus.yml',
    ]);
    await expect(Promise.all(mounted.map((path) => access(join(ROOT, path))))).resolves.toBeDefined();
  });

  it('[ADR-9] gives every panel the data source that is provisioned', async () => {
    const { datasources } = parse(
      await readFile(join(ROOT, 'ops/grafana/provisioning/datasources/prometheus.yml'), 'utf8'),
    ) as { datasources: { uid: string }[] };
    const dashboard = await readFile(join(ROOT, 'ops/grafana/dashboards/kernel-eventbus.json'), 'utf8');
    const used = [...dashboard.matchAll(/"uid": "([^"]+)"/g)].map(([, uid]) => uid);
    expect(new Set(used)).toEqual(new Set(['kernel-eventbus', ...datasources.map(({ uid }) => uid)]));
  });
});
