import { isIP } from 'node:net';
import { LOOPBACK } from '@kernel/app';
import { z } from 'zod';

const integer = (min: number, max: number) => {
  const mayBe = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,12}$/, mayBe)
    .transform(Number)
    .refine((value) => value >= min && value <= max, mayBe);
};

const port = integer(0, 65_535);
const address = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 && !text.includes('%'),
    'an IP address like 127.0.0.1, or 0.0.0.0 for every interface',
  );
const flag = z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');
const choice = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, values.slice(0, -1).join(', ') + ` or ${values.at(-1)}`);

const CIDRS_MAY_BE = 'a comma-separated list of address ranges like 10.1.0.0/16 or fd00::/8';
const cidrs = z
  .string()
  .transform((list) => list.split(',').map((range) => range.trim()))
  .refine((ranges) => ranges.every(isAddressRange), CIDRS_MAY_BE);

const databaseUrl = z.string().refine(isDatabaseUrl, 'a URL like postgres://user:password@host:5432/database');

const masterKey = z
  .string()
  .refine(
    (text) => /^[A-Za-z0-9+/]{43}=$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text,
    'base64 of 32 bytes (make one: openssl rand -base64 32)',
  );

/** Every variable the app reads. The message of each rule names the allowed values. */
export const EnvironmentVariables = z
  .object({
    DATABASE_URL: databaseUrl.optional(),
    DATABASE_OWNER_URL: databaseUrl.optional(),
    HOST: address.default(LOOPBACK),
    PORT: port.default(3000),
    RECEIVER_PORT: port.default(3001),
    EVENTBUS_ROLE: choice('all', 'api', 'worker').default('all'),
    EVENTBUS_DEMO: flag.default(true),
    EVENTBUS_ALLOWED_CIDRS: cidrs.optional(),
    EVENTBUS_ALLOW_HTTP: flag.optional(),
    EVENTBUS_ADMIN_TOKEN: z
      .string()
      .regex(/^[\x21-\x7e]{16,512}$/, '16 to 512 visible ASCII characters without a space')
      .optional(),
    EVENTBUS_MASTER_KEY: masterKey.optional(),
    EVENTBUS_MASTER_KEY_PREVIOUS: masterKey.optional(),
    EVENTBUS_MAX_ATTEMPTS: integer(1, 100).optional(),
    EVENTBUS_RETRY_INITIAL_MS: integer(1, 86_400_000).optional(),
    EVENTBUS_RETRY_MAX_MS: integer(1, 86_400_000).optional(),
    EVENTBUS_TIMEOUT_MS: integer(1, 300_000).optional(),
    EVENTBUS_MAX_TIMEOUT_MS: integer(1, 300_000).optional(),
    EVENTBUS_MAX_IN_FLIGHT_PER_ENDPOINT: integer(1, 1_000).optional(),
    EVENTBUS_CONCURRENCY: integer(1, 1_000).optional(),
    EVENTBUS_MAX_PAYLOAD_BYTES: integer(1, 16_777_216).optional(),
    LOG_LEVEL: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  })
  .refine(({ DATABASE_URL, DATABASE_OWNER_URL }) => DATABASE_OWNER_URL === undefined || DATABASE_URL !== undefined, {
    path: ['DATABASE_OWNER_URL'],
    message: 'set only beside DATABASE_URL, which the app itself connects with',
  })
  .refine(
    ({ EVENTBUS_TIMEOUT_MS = 0, EVENTBUS_MAX_TIMEOUT_MS = Infinity }) => EVENTBUS_TIMEOUT_MS <= EVENTBUS_MAX_TIMEOUT_MS,
    { path: ['EVENTBUS_TIMEOUT_MS'], message: 'at most EVENTBUS_MAX_TIMEOUT_MS' },
  );
export type EnvironmentVariables = z.output<typeof EnvironmentVariables>;

function isDatabaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['postgres:', 'postgresql:'].includes(url.protocol) && url.pathname.length > 1;
}

function isAddressRange(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/');
  const family = isIP(address);
  const isBitsFit = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  return family !== 0 && !address.includes('%') && rest.length === 0 && isBitsFit;
}
