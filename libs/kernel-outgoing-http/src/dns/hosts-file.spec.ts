import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostsFile } from './hosts-file.js';

describe('HostsFile', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (text: string) => writeFile(join(folder, 'hosts'), text);

  it('knows every name of every line, in any case', async () => {
    await write(`# 10.0.0.9 none
      10.0.0.7\treceiver.test  Receiver   # the one inside
      fd00::7  receiver.test
      fe80::1%lo0 zoned.test
      not-an-address broken.test
    `);
    const hosts = new HostsFile(join(folder, 'hosts'));
    expect(hosts.find('receiver')).toEqual([{ address: '10.0.0.7', family: 4 }]);
    expect(hosts.find('receiver.test')).toHaveLength(2);
    for (const name of ['none', 'zoned.test', 'broken.test', '#', 'the', '']) expect(hosts.find(name)).toBeUndefined();
  });

  it('is read again when it has changed, and need not exist', async () => {
    const hosts = new HostsFile(join(folder, 'hosts'));
    expect(hosts.find('a.test')).toBeUndefined();
    await write('10.0.0.7 a.test');
    expect(hosts.find('a.test')).toHaveLength(1);
    await write('10.0.0.7 another.test');
    expect(hosts.find('a.test')).toBeUndefined();
    expect(hosts.find('another.test')).toHaveLength(1);
    await rm(join(folder, 'hosts'));
    expect(hosts.find('another.test')).toBeUndefined();
  });
});
