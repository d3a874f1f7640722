import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const WATCHER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const pg = require('pg');
  const isTold = new Int32Array(workerData.shared);
  (async () => {
    const client = new pg.Client({ connectionString: workerData.url });
    await client.connect();
    parentPort.postMessage('connected');
    while (isTold[0] === 0) {
      const { rowCount } = await client.query('select from told where id = $1', [workerData.id]);
      Atomics.store(isTold, 0, rowCount);
    }
    Atomics.notify(isTold, 0);
    await client.end();
  })();
`;

/** Polls for a row of the table `told` in a separate thread, because the test blocks its own thread. */
export class TableWatcher {
  readonly #isTold = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;

  private constructor(url: string, id: number) {
    this.#worker = new Worker(WATCHER, { eval: true, workerData: { shared: this.#isTold.buffer, url, id } });
  }

  static async start(url: string, id: number): Promise<TableWatcher> {
    const watcher = new TableWatcher(url, id);
    await once(watcher.#worker, 'message');
    return watcher;
  }

  /** Blocks this thread until the row is there; false if it does not appear within a minute. */
  blockUntilTold(): boolean {
    Atomics.wait(this.#isTold, 0, 0, 60_000);
    return Atomics.load(this.#isTold, 0) === 1;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
