import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TenantsApp } from './built-apps.ts';
import { StartFailure } from './describe-start-failure.ts';
import type { Stoppable } from './stop-all.ts';

type ProjectionSettings = Parameters<TenantsApp['startProjection']>[0];

const PROGRAM = fileURLToPath(new URL('./projection-process.ts', import.meta.url));

/** Runs the projection in a child process, and restarts it when it is killed. */
export class ProjectionKeeper implements Stoppable {
  readonly name = 'the projection';
  readonly #settings: ProjectionSettings;
  #child: ChildProcess | undefined;
  #isStopping = false;

  constructor(settings: ProjectionSettings) {
    this.#settings = settings;
  }

  /** Returns its address when it is ready. */
  async start(): Promise<string> {
    const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child = child;
    child.send(this.#settings);
    const ready = once(child, 'message').then(([{ url }]) => url as string);
    const ended = once(child, 'exit').then(() => undefined);
    const url = await Promise.race([ready, ended]);
    if (url === undefined) {
      throw new StartFailure('the projection ended while it started; what it said is above');
    }
    void ended.then(() => this.startAgain());
    return url;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  }

  private async startAgain(): Promise<void> {
    if (!this.#isStopping) {
      process.stderr.write('The projection is gone; starting it again.\n');
      await this.start().catch((error: Error) => this.#isStopping || process.stderr.write(`${error.message}\n`));
    }
  }
}
