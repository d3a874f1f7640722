import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import request, { type Agent } from 'supertest';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { HydrologyServerModule } from '../src/hydrology.module.js';
import { prepareDatabase, type HydrologySettings } from '../src/main.js';
import { FlowPipeline } from '../src/pipeline/flow-pipeline.js';

const ADMIN_TOKEN = 'an-operator-token-for-tests';

export const GAUGES = await readFile(join(import.meta.dirname, '../src/ingest/river-gauges.csv'), 'utf8');

export interface TestHydrology {
  app: NestExpressApplication;
  pipeline: FlowPipeline;
  settings: HydrologySettings;
  database: TestDatabase;
  http: Agent;
  /** With the token of an operator. */
  admin: Agent;
  /** Log lines of the app so far. */
  logged(): Record<string, unknown>[];
  /** Every row of the domain and of the outbox, to detect changes. */
  everything(): Promise<unknown>;
  close(): Promise<void>;
}

/** Settings besides the database; `logged` returns the captured log lines. */
export async function testSettings(database: TestDatabase) {
  const lines: string[] = [];
  const settings: HydrologySettings = {
    databaseUrl: database.appUrl,
    masterKey: randomBytes(32).toString('base64'),
    adminToken: ADMIN_TOKEN,
    artifactFolder: await mkdtemp(join(tmpdir(), 'hydrology-')),
    port: 0,
    allowHttp: true,
    allowedCidrs: ['127.0.0.0/8'],
    logLevel: 'info',
    logStream: { write: (line) => void lines.push(line) },
  };
  return { settings, logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** The app as `serve` runs it, on its own database. */
export async function startTestHydrology(): Promise<TestHydrology> {
  const database = await createTestDatabase();
  await prepareDatabase(database.url);
  const { settings, logged } = await testSettings(database);
  const app = await NestFactory.create<NestExpressApplication>(HydrologyServerModule.with(settings), {
    logger: ['error', 'fatal'],
  });
  await app.init();
  app.useLogger(app.get(Logger));
  const server = app.getHttpServer();
  return {
    ...{ app, settings, database, logged },
    pipeline: app.get(FlowPipeline),
    http: request.agent(server),
    admin: request.agent(server).set('authorization', `Bearer ${ADMIN_TOKEN}`),
    everything: () => readEverything(database),
    close: async () => {
      await app.close();
      await database.drop();
      await rm(settings.artifactFolder, { recursive: true, force: true });
    },
  };
}

export async function readEverything(database: TestDatabase): Promise<unknown> {
  return {
    versions: await database.query('select * from hydrology_artifact_version order by version'),
    state: await database.query('select * from hydrology_pipeline_state'),
    catalogue: await database.query('select * from hydrology_catalogue_item order by item_id'),
    outbox: await database.query(
      'select event_id, payload_hash, attributes from kernel_outbox_event order by event_id',
    ),
    streams: await database.query('select last_sequence from kernel_stream order by stream_key'),
  };
}
