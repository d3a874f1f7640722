import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Catalogue } from '../catalogue/catalogue.js';
import { InputRejectedError } from '../ingest/input-rejected.error.js';
import { FlowPipeline, type RunResult } from '../pipeline/flow-pipeline.js';
import { OutboxRecords } from '../records/outbox-records.js';
import type { Command } from './parse-command.js';

const LOOK_MS = 50;
const PATIENCE_MS = 60_000;

/** The output of `run`. */
export interface RunReport extends RunResult {
  /** False if the consumer has not caught up yet; it continues with the next command. */
  isInCatalogue: boolean;
}

/** Returns the result of a command, to be printed as JSON. */
export async function runCommand(
  app: INestApplicationContext,
  command: Exclude<Command, { name: 'serve' }>,
): Promise<unknown> {
  switch (command.name) {
    case 'run': {
      const result = await app.get(FlowPipeline).run(await readInput(command.inputFile), command.version);
      return { ...result, isInCatalogue: await awaitCatalogue(app.get(Catalogue), result.eventId) } satisfies RunReport;
    }
    case 'catalogue':
      return app.get(Catalogue).read();
    case 'records':
      return app.get(OutboxRecords).list();
  }
}

async function readInput(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new InputRejectedError(`${path} cannot be read (${String((cause as NodeJS.ErrnoException).code)})`, {
      cause,
    });
  }
}

async function awaitCatalogue(catalogue: Catalogue, eventId: string): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await catalogue.has(eventId))) {
    if (performance.now() > deadline) {
      return false;
    }
    await delay(LOOK_MS);
  }
  return true;
}
