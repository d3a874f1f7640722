import { randomBytes, randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { prepareDatabase, startErp, type ErpSettings, type RunningErp } from '../../apps/erp/src/main.js';

export interface Answer {
  status: number;
  headers: Headers;
  body: AnswerBody;
}

/** Every field that any route may return, so a test can read it directly. */
export interface AnswerBody {
  invoiceId: string;
  items: { invoiceId: string }[];
  nextCursor: string | null;
  type: string;
  traceId: string;
  errors: { path: string; message: string }[];
  paths: object;
  postings: number;
  components: { securitySchemes: object };
}

export interface TestErp extends RunningErp {
  database: TestDatabase;
  tenantId: string;
  settings: ErpSettings;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The events of the outbox, in order of publication. */
  events(): Promise<{ type: string; payload_jsonb: Record<string, unknown>; [column: string]: unknown }[]>;
}

export const SETTINGS = {
  port: 0,
  role: 'api',
  isDemo: false,
  masterKey: randomBytes(32).toString('base64'),
  adminToken: 'an-operator-token-for-tests',
  allowHttp: true,
  allowedCidrs: ['127.0.0.0/8'],
  retry: {},
  logLevel: 'silent',
} as const;

/** The app as in production, on a free port and its own database. */
export async function startTestErp(overrides: Partial<ErpSettings> = {}): Promise<TestErp> {
  const database = await createTestDatabase();
  await prepareDatabase(database.url);
  const settings = { ...SETTINGS, databaseUrl: database.appUrl, ...overrides };
  const erp = await startErp(settings);
  return {
    url: erp.url,
    consoleLink: erp.consoleLink,
    database,
    settings,
    tenantId: randomUUID(),
    request: (method, path, body, headers) => request(`${erp.url}${path}`, method, body, headers),
    events: () => database.query('select * from kernel_outbox_event order by event_id'),
    close: async () => {
      await erp.close();
      await database.drop();
    },
  };
}

/** Sends a string unchanged, anything else as JSON. */
export async function request(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text && JSON.parse(text)) as AnswerBody };
}

export function newInvoice(tenantId: string, changes: Record<string, unknown> = {}) {
  return {
    tenantId,
    customer: { name: 'Ada Lovelace', email: 'ada@example.com', taxId: 'GB123' },
    lines: [
      { description: 'Consulting', amountCents: 12_000 },
      { description: 'Discount', amountCents: -2_000 },
    ],
    region: 'EU',
    ...changes,
  };
}
