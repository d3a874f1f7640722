import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { waitFor } from '@kernel/eventbus/testing';

const isInstalled = spawnSync('kcat', ['-V']).status === 0;
const isRequired = process.env.CI === 'true';

/** A `describe` that is skipped, with a message, if kcat is not installed; with CI=true its tests fail instead. */
export function describeWithKcat(name: string, tests: () => void): void {
  if (isInstalled || isRequired) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`skipped: "${name}" needs kcat (Debian: apt-get install kcat)\n`);
  describe.skip(name, tests);
}

export interface ReadMessage {
  topic: string;
  partition: number;
  offset: number;
  key: string;
  payload: string;
  headers: Record<string, string>;
}

/**
 * Three mock brokers of librdkafka in the process of an idle kcat. They speak Kafka's protocol and store everything in
 * memory.
 */
export class MockCluster {
  private constructor(
    private readonly host: ChildProcess,
    readonly brokers: string[],
  ) {}

  static async start(): Promise<MockCluster> {
    const host = spawn('kcat', ['-C', '-b', 'none', '-X', 'test.mock.num.brokers=3', '-t', 'host', '-q'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    host.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const failed = once(host, 'exit').then(() => Promise.reject(new Error(`kcat ended: ${said}`)));
    const brokers = await Promise.race([waitFor(() => /replaced with (\S+)/.exec(said)?.[1], 'the brokers'), failed]);
    failed.catch(() => undefined);
    return new MockCluster(host, brokers.split(','));
  }

  async read(topic: string): Promise<ReadMessage[]> {
    const { stdout } = await this.kcat(
      '-C',
      '-t',
      topic,
      '-o',
      'beginning',
      '-e',
      '-q',
      '-J',
      '-X',
      'fetch.wait.max.ms=10',
    );
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ReadMessage & { headers?: string[] })
      .map(({ headers = [], ...message }) => ({ ...message, headers: pairsOf(headers) }));
  }

  /** Writes like another application, with the partitioner of the Java client. */
  async write(topic: string, key: string): Promise<void> {
    const options = ['-P', '-t', topic, '-k', key, '-X', 'topic.partitioner=murmur2'];
    const going = this.kcat(...options);
    going.child.stdin!.end('written by another\n');
    await going;
  }

  freeze(): void {
    this.host.kill('SIGSTOP');
  }

  thaw(): void {
    this.host.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    if (this.host.exitCode === null && this.host.signalCode === null) {
      this.host.kill('SIGKILL');
      await once(this.host, 'exit');
    }
  }

  private kcat(...options: string[]) {
    return promisify(execFile)('kcat', ['-b', this.brokers.join(','), ...options], { maxBuffer: 64 * 1024 * 1024 });
  }
}

/** kcat lists names and values alternately. */
function pairsOf(headers: string[] | Record<string, string>): Record<string, string> {
  if (!Array.isArray(headers)) {
    return headers;
  }
  return Object.fromEntries(
    headers.flatMap((name, place) => (place % 2 === 0 ? [[name, headers[place + 1]!] as const] : [])),
  );
}
