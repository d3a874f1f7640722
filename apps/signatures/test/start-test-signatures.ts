import { randomBytes, randomUUID } from 'node:crypto';
import request, { type Agent, type Response } from 'supertest';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { prepareDatabase, startSignatures, type SignaturesSettings } from '../src/main.js';

export const CUSTOMER_ID = 'customer-4711-ada';
const ADMIN_TOKEN = 'an-operator-token-for-tests';

export interface OutboxRow {
  event_id: string;
  tenant_id: string;
  type: string;
  trace_id: string;
  stream_key: string;
  payload_jsonb: Record<string, unknown>;
  attributes: Record<string, unknown>;
}

export interface TestSignatures {
  database: TestDatabase;
  tenantId: string;
  url: string;
  http: Agent;
  /** With the token of an operator. */
  admin: Agent;
  /** Log output of the app so far, as text. */
  logged(): string;
  /** Starts a request and returns its id. */
  start(changes?: Record<string, unknown>): Promise<string>;
  post(path: string, body?: object, headers?: Record<string, string>): Promise<Response>;
  codeOf(signatureRequestId: string): Promise<string>;
  switchProvider(isDown: boolean): Promise<void>;
  /** The events of an aggregate, in order of creation. */
  eventsOf(aggregateId: string): Promise<OutboxRow[]>;
  close(): Promise<void>;
}

export async function startTestSignatures(overrides: Partial<SignaturesSettings> = {}): Promise<TestSignatures> {
  const database = await createTestDatabase();
  await prepareDatabase(database.url);
  const lines: string[] = [];
  const app = await startSignatures({
    databaseUrl: database.appUrl,
    port: 0,
    masterKey: randomBytes(32).toString('base64'),
    adminToken: ADMIN_TOKEN,
    allowHttp: true,
    allowedCidrs: ['127.0.0.0/8'],
    logLevel: 'info',
    logStream: { write: (line) => void lines.push(line) },
    ...overrides,
  });
  const http = request.agent(app.url);
  const tenantId = randomUUID();
  const post: TestSignatures['post'] = (path, body = {}, headers = {}) => http.post(path).set(headers).send(body);
  return {
    ...{ database, tenantId, http, post, url: app.url },
    admin: request.agent(app.url).set('authorization', `Bearer ${ADMIN_TOKEN}`),
    logged: () => lines.join(''),
    start: async (changes) => {
      const { body } = await post('/signature-requests', newRequest(tenantId, changes)).then(expectStatus(201));
      return String(body.signatureRequestId);
    },
    codeOf: async (id) => String((await http.get(`/demo/codes/${id}`).expect(200)).body.code),
    switchProvider: async (isDown) => void (await http.put('/demo/provider').send({ isDown }).expect(200)),
    eventsOf: (aggregateId) =>
      database.query('select * from kernel_outbox_event where aggregate_id = $1 order by created_at, stream_sequence', [
        aggregateId,
      ]),
    close: async () => {
      await app.close();
      await database.drop();
    },
  };
}

export function newRequest(tenantId: string, changes: Record<string, unknown> = {}) {
  return {
    tenantId,
    customerId: CUSTOMER_ID,
    transaction: { reference: 'TX-1', amountCents: 125_000, currency: 'EUR' },
    channel: 'SMS',
    riskLevel: 'MEDIUM',
    ...changes,
  };
}

export function expectStatus(status: number) {
  return (response: Response): Response => {
    expect([response.status, response.body]).toEqual([status, response.body]);
    return response;
  };
}

/** A different six-digit code. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
