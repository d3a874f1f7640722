import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readAlerts } from './alert-rules.js';
import { ROOT } from './promtool.js';

interface Service {
  image: string;
  ports?: string[];
  volumes?: string[];
  depends_on?: string[];
  extra_hosts?: string[];
  healthcheck?: { test: string[] };
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const read = (path: string) => readFile(join(ROOT, path), 'utf8');
const readYaml = async <T>(path: string) => parse(await read(path)) as T;

/** The ports of a service inside its network. */
const portsOf = ({ ports = [] }: Service) => ports.map((port) => port.split(':').at(-1));
const mountsOf = ({ volumes = [] }: Service) =>
  volumes.map((volume) => {
    const [from, to, mode] = volume.split(':');
    return { from: from!, to: to!, mode };
  });

describe('docker-compose.yml', () => {
  let compose: Compose;
  let services: Record<string, Service>;
  beforeAll(async () => {
    compose = await readYaml<Compose>('docker-compose.yml');
    ({ services } = compose);
  });

  /** The repository path of a path inside a container. */
  const inRepository = (service: string, path: string) => {
    const mount = mountsOf(services[service]!).find(({ to }) => path.startsWith(to));
    return mount && path.replace(mount.to, mount.from);
  };

  it('[ADR-9] has Prometheus, Alertmanager and Grafana beside PostgreSQL and NATS, each with a version', () => {
    expect(Object.keys(services).toSorted()).toEqual(['alertmanager', 'grafana', 'nats', 'postgres', 'prometheus']);
    for (const { image } of Object.values(services)) {
      expect(image).toMatch(/^[a-z]+(\/[a-z]+)?:v?\d+(\.\d+)*(-alpine)?$/);
    }
  });

  it('is reachable from this machine only', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(3);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\$\{[A-Z]+_PORT:-\d+\}:\d+$/.test(port))).toEqual([]);
    const published = ports.map((port) => /:-(\d+)\}/.exec(port)![1]!);
    expect(new Set(published).size).toBe(published.length);
  });

  it('knows of each service whether it is well, by what listens inside of it', () => {
    for (const service of Object.values(services)) {
      const [how, ...command] = service.healthcheck!.test;
      const ports = [...portsOf(service), '8222'];
      const [, asked] = /^http:\/\/127\.0\.0\.1:(\d+)\//.exec(command.at(-1)!) ?? [];
      expect(how).toBe('CMD');
      expect(command[0] === 'pg_isready' || ports.includes(asked)).toBe(true);
    }
  });

  it('waits for and mounts only what there is, and changes no file of ours', async () => {
    for (const name of Object.values(services).flatMap(({ depends_on = [] }) => depends_on)) {
      expect(services).toHaveProperty(name);
    }
    const mounts = Object.values(services).flatMap(mountsOf);
    const ours = mounts.filter(({ from }) => from.startsWith('./'));
    expect(ours.length).toBeGreaterThanOrEqual(5);
    expect(ours.filter(({ mode }) => mode !== 'ro')).toEqual([]);
    await expect(Promise.all(ours.map(({ from }) => access(join(ROOT, from))))).resolves.toBeDefined();
    const named = mounts.filter(({ from }) => !from.startsWith('./')).map(({ from }) => from);
    expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  it('gives Prometheus and Alertmanager their configuration where their images look for it', async () => {
    for (const [service, path] of [
      ['prometheus', '/etc/prometheus/prometheus.yml'],
      ['alertmanager', '/etc/alertmanager/alertmanager.yml'],
    ] as const) {
      await expect(read(inRepository(service, path)!)).resolves.toBeTruthy();
    }
  });

  it('has Prometheus scrape the app where it listens, and bring alerts to where Alertmanager does', async () => {
    const config = await readYaml<{
      alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] };
      scrape_configs: { job_name: string; file_sd_configs: { files: string[] }[] }[];
    }>('ops/prometheus/prometheus.yml');
    const [{ static_configs: managers }] = config.alerting.alertmanagers as [
      { static_configs: { targets: string[] }[] },
    ];
    expect(managers.flatMap(({ targets }) => targets)).toEqual([`alertmanager:${portsOf(services.alertmanager!)[0]}`]);

    const [job] = config.scrape_configs;
    // The alert for a process that does not respond queries this name.
    const down = (await readAlerts()).find(({ alert }) => alert === 'ProcessDown')!;
    expect(down.expr).toContain(`job="${job!.job_name}"`);
    expect(job!.file_sd_configs).toEqual([{ files: ['targets/*.yml'] }]);
    const files = (await readdir(join(ROOT, 'ops/prometheus/targets'))).filter((file) => file.endsWith('.yml'));
    const lists = await Promise.all(
      files.map((file) => readYaml<{ targets: string[] }[]>(`ops/prometheus/targets/${file}`)),
    );
    const targets = lists.flat().flatMap((list) => list.targets);
    const [, port] = /PORT: port\.default\((\d+)\)/.exec(await read('apps/erp/src/settings/environment-variables.ts'))!;
    expect(targets).toEqual([`host.docker.internal:${port}`]);
    expect(services.prometheus!.extra_hosts).toEqual(['host.docker.internal:host-gateway']);
  });

  it('has Alertmanager send every severity somewhere', async () => {
    const { route, receivers } = await readYaml<{
      route: { receiver: string; routes: { matchers: string[]; receiver: string }[] };
      receivers: { name: string }[];
    }>('ops/alertmanager/alertmanager.yml');
    const names = receivers.map(({ name }) => name);
    const used = [route.receiver, ...route.routes.map(({ receiver }) => receiver)];
    expect(new Set(names)).toEqual(new Set(used));
    const severities = new Set((await readAlerts()).map(({ labels }) => labels.severity));
    expect(new Set(names)).toEqual(severities);
    expect(route.routes).toMatchObject([{ matchers: ['severity = page'], receiver: 'page' }]);
  });

  it('keeps back only alerts that there are, and only of the same service', async () => {
    const config = await read('ops/alertmanager/alertmanager.yml');
    const named = [...config.matchAll(/alertname =~? "?([A-Za-z|]+)/g)].flatMap(([, names]) => names!.split('|'));
    const known = (await readAlerts()).map(({ alert }) => alert);
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    const { route, inhibit_rules: rules } = parse(config) as {
      route: { group_by: string[] };
      inhibit_rules: { equal?: string[] }[];
    };
    expect(route.group_by).toContain('service');
    expect(rules.filter(({ equal }) => !equal?.includes('service'))).toEqual([]);
  });

  it('[ADR-9] has Grafana ask Prometheus, and gives every panel the data source that is provisioned', async () => {
    const { datasources } = await readYaml<{ datasources: { uid: string; url: string }[] }>(
      `${inRepository('grafana', '/etc/grafana/provisioning/datasources')}/prometheus.yml`,
    );
    expect(datasources.map(({ url }) => url)).toEqual([`http://prometheus:${portsOf(services.prometheus!)[0]}`]);
    const { providers } = await readYaml<{ providers: { options: { path: string } }[] }>(
      `${inRepository('grafana', '/etc/grafana/provisioning/dashboards')}/kernel-eventbus.yml`,
    );
    const folder = inRepository('grafana', providers[0]!.options.path)!;
    const dashboard = await read(`${folder}/kernel-eventbus.json`);
    const used = [...dashboard.matchAll(/"uid": "([^"]+)"/g)].map(([, uid]) => uid);
    expect(new Set(used)).toEqual(new Set(['kernel-eventbus', ...datasources.map(({ uid }) => uid)]));
  });
});

describe('the commands of the docs', () => {
  it('start workers on ports that Prometheus can be told of', async () => {
    const texts = await Promise.all(
      ['docs/runbook.md', 'docs/operations.md', 'ops/prometheus/targets/kernel-eventbus.yml'].map(read),
    );
    const starts = texts.flatMap((text) => text.match(/^.*EVENTBUS_ROLE=worker.*start.*$/gm) ?? []);
    expect(starts.length).toBeGreaterThan(5);
    expect(starts.filter((line) => !/ PORT=30[1-9]\d /.test(line))).toEqual([]);
  });
});
