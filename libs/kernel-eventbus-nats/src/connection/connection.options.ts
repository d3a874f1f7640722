import { z } from 'zod';

export interface NatsConnectionOptions {
  /**
   * Servers of one cluster, e.g. `nats://10.0.0.7:4222` or `tls://nats.internal:4222`. Without credentials: they have
   * their own fields.
   */
  servers: string | string[];
  user?: string;
  password?: string;
  /** Instead of user and password. */
  token?: string;
  /** The text of a `.creds` file, instead of the others. */
  credentials?: string;
  /** PEM texts. Default: as the servers' URLs say, with the system's certificates. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** Name of this connection in the broker's monitoring. Default: `kernel-eventbus`. */
  name?: string;
}

/** Credentials in a URL end up in logs, so they are refused. */
const server = z
  .string()
  .refine(
    (text) => !text.includes('@'),
    'must not hold credentials: give them as user and password, token or credentials',
  )
  .refine(
    (text) => /^(?:(?:nats|tls):\/\/)?[^\s/@]+$/.test(text),
    'must be like nats://127.0.0.1:4222 or tls://nats.internal:4222',
  );

export const ConnectionSchema = z
  .strictObject({
    servers: z.union([server, z.array(server).min(1)]),
    user: z.string().min(1).optional(),
    password: z.string().optional(),
    token: z.string().min(1).optional(),
    credentials: z.string().min(1).optional(),
    tls: z.strictObject({ ca: z.string(), cert: z.string(), key: z.string() }).partial().optional(),
    name: z.string().min(1).default('kernel-eventbus'),
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    path: ['user'],
    message: 'user and password belong together',
  })
  .refine(({ user, token, credentials }) => [user, token, credentials].filter(Boolean).length <= 1, {
    path: ['token'],
    message: 'give one of user and password, token, or credentials',
  });

export type NatsConnectionConfig = z.output<typeof ConnectionSchema>;
