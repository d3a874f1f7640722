import { randomBytes } from 'node:crypto';
import pg from 'pg';
import request, { type Agent } from 'supertest';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import {
  prepareDatabase,
  startProjection,
  startTenants,
  type ProjectionSettings,
  type TenantsSettings,
} from '../../apps/tenants/src/main.js';

export interface ProjectionDatabase {
  url: string;
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  drop(): Promise<void>;
}

export interface TenantsBench {
  database: TestDatabase;
  projectionDatabase: ProjectionDatabase;
  tenantsSettings: TenantsSettings;
  projectionSettings: ProjectionSettings;
  /** The tenants according to their service. */
  tenants(): Promise<Governed[]>;
  /** The tenants according to the projection. */
  projected(): Promise<(Governed & { changes: number })[]>;
  close(): Promise<void>;
}

export interface Governed {
  tenantId: string;
  name: string;
  plan: string;
  retentionDays: number;
  residency: string;
  version: number;
}

const GOVERNED = `tenant_id as "tenantId", name, plan, retention_days as "retentionDays", residency, version`;

/** Two databases of two services that share only a broker and a secret. */
export async function makeTenantsBench(natsUrl: string): Promise<TenantsBench> {
  const database = await createTestDatabase();
  await prepareDatabase(database.url);
  const projectionDatabase = await createProjectionDatabase();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return {
    ...{ database, projectionDatabase },
    tenantsSettings: {
      ...{ databaseUrl: database.appUrl, port: 0, natsUrl, projectionSecret: secret },
      masterKey: randomBytes(32).toString('base64'),
      adminToken: undefined,
      allowHttp: false,
      allowedCidrs: [],
      logLevel: 'silent',
    },
    projectionSettings: { databaseUrl: projectionDatabase.url, port: 0, natsUrl, secret, ackWaitMs: 1_000 },
    tenants: () => database.query(`select ${GOVERNED} from tenant order by tenant_id`),
    projected: () =>
      projectionDatabase.query(`select ${GOVERNED}, changes from projection.governance order by tenant_id`),
    close: async () => {
      await projectionDatabase.drop();
      await database.drop();
    },
  };
}

export async function startTestTenants(settings: TenantsSettings): Promise<{ http: Agent; close(): Promise<void> }> {
  const app = await startTenants(settings);
  return { http: request.agent(app.url), close: () => app.close() };
}

export async function startTestProjection(
  settings: ProjectionSettings,
): Promise<{ http: Agent; close(): Promise<void> }> {
  const app = await startProjection(settings);
  return { http: request.agent(app.url), close: () => app.close() };
}

async function createProjectionDatabase(): Promise<ProjectionDatabase> {
  const name = `projection_${randomBytes(6).toString('hex')}`;
  const server = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await server.connect();
  await server.query(`create database ${name}`);
  const url = Object.assign(new URL(process.env.TEST_POSTGRES_URL!), { pathname: `/${name}` }).href;
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  return {
    url,
    query: async (sql) => (await pool.query(sql)).rows as never,
    drop: async () => {
      await pool.end();
      await server.query(`drop database ${name} with (force)`);
      await server.end();
    },
  };
}
