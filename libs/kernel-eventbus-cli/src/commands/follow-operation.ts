import { setTimeout as delay } from 'node:timers/promises';
import type { Cli } from '../cli.js';
import type { Row } from '../connection/admin-api.js';
import { renderProgress } from '../output/progress-bar.js';
import { pathOf } from './path-of.js';

export interface Operation extends Row {
  state: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  total: number;
  done: number;
  failed: number;
}

const LOOK_EVERY_MS = 300;

/** Polls until the operation ends. Interrupting the command does not stop the operation: it runs in the app. */
export async function followOperation({ api, terminal }: Cli, operationId: string): Promise<Operation> {
  for (;;) {
    const operation = await api.get<Operation>(pathOf('operations', operationId));
    const isOpen = operation.state === 'pending' || operation.state === 'running';
    if (terminal.isWatched) {
      const { done, failed, total } = operation;
      terminal.err(`\r${renderProgress({ done: done + failed, total })}${isOpen ? '' : '\n'}`);
    }
    if (!isOpen) {
      return operation;
    }
    await delay(LOOK_EVERY_MS);
  }
}
