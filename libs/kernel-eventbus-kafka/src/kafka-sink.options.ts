import type { ConnectionOptions } from 'node:tls';
import { InvalidOptionsError } from '@kernel/eventbus';
import { describeIssues, listIssues } from '@kernel/eventbus/engine';
import { z } from 'zod';
import { checkTemplate } from './topic-template.js';

/** A value, or a function called for each new connection. */
type Credential = string | (() => string | Promise<string>);

export interface KafkaSasl {
  mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER';
  username?: Credential;
  password?: Credential;
  /** For OAUTHBEARER. */
  token?: Credential;
}

export interface KafkaSinkOptions {
  /**
   * Bootstrap brokers, each as `host:port`. Endpoints never name brokers, so no tenant chooses the destination of a
   * connection.
   */
  brokers: string[];
  /**
   * Topics that endpoints may name, exactly as listed: `kafka:orders` for `orders`. `{tenantId}` and `{type}` are
   * replaced by those of the event. Every tenant may use every topic, so use `{tenantId}` to separate tenants.
   */
  topics: string[];
  /** Options of `node:tls`; `{}` for TLS with the system's certificates. Default: none. */
  tls?: ConnectionOptions;
  /** Default: none. Mechanisms that send the secret itself require `tls`. */
  sasl?: KafkaSasl;
  /** Identifies this application to the brokers. Default: kernel-eventbus. */
  clientId?: string;
  /** Lets the broker drop the client's repeats. Disabled at runtime if the broker does not allow it. Default: true. */
  idempotent?: boolean;
  /** Number of producers, each with its own connections; a stream always uses the same one. Default: 4. */
  producers?: number;
  /** Per request to a broker; the client retries twice within an attempt. Default: 3000. */
  requestTimeoutMs?: number;
  /** Default: 3000. */
  connectTimeoutMs?: number;
}

const SENDS_THE_SECRET = new Set(['PLAIN', 'OAUTHBEARER']);

const credential = z.custom<Credential>(
  (value) => (typeof value === 'string' && value !== '') || typeof value === 'function',
  'has to be text or a function',
);

const KafkaSinkOptionsSchema = z
  .strictObject({
    brokers: z
      .array(z.string().regex(/^(?:[\w.-]+|\[[\da-fA-F:]+\]):\d{1,5}$/, 'write a broker like kafka-1.example:9092'))
      .min(1),
    topics: z
      .array(
        z.string().superRefine((template, context) => {
          const problem = checkTemplate(template);
          if (problem) {
            context.addIssue({ code: 'custom', message: problem });
          }
        }),
      )
      .min(1),
    tls: z.custom<ConnectionOptions>((value) => typeof value === 'object' && value !== null).optional(),
    sasl: z
      .strictObject({
        mechanism: z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER']),
        username: credential.optional(),
        password: credential.optional(),
        token: credential.optional(),
      })
      .optional(),
    clientId: z.string().regex(/^\S+$/, 'has no blanks').default('kernel-eventbus'),
    idempotent: z.boolean().default(true),
    producers: z.number().int().min(1).max(64).default(4),
    requestTimeoutMs: z.number().int().min(1).max(300_000).default(3_000),
    connectTimeoutMs: z.number().int().min(1).max(300_000).default(3_000),
  })
  .refine(({ tls, sasl }) => tls || !sasl || !SENDS_THE_SECRET.has(sasl.mechanism), {
    path: ['tls'],
    error: 'is needed with a SASL mechanism that sends the secret itself',
  });

type ParsedOptions = z.output<typeof KafkaSinkOptionsSchema>;

/** The options with their defaults; its own injection token. */
export abstract class KafkaSinkConfig implements ParsedOptions {
  abstract readonly brokers: string[];
  abstract readonly topics: string[];
  abstract readonly tls: ConnectionOptions | undefined;
  abstract readonly sasl: KafkaSasl | undefined;
  abstract readonly clientId: string;
  abstract readonly idempotent: boolean;
  abstract readonly producers: number;
  abstract readonly requestTimeoutMs: number;
  abstract readonly connectTimeoutMs: number;
}

/** Names the invalid options and never quotes a value, because it may be a credential. */
export function resolveKafkaConfig(options: KafkaSinkOptions): KafkaSinkConfig {
  const parsed = KafkaSinkOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = describeIssues(listIssues(parsed.error.issues));
    throw new InvalidOptionsError(`KafkaSinkModule options are not valid: ${problems}`);
  }
  const { tls, sasl, ...rest } = parsed.data;
  return Object.freeze({ tls, sasl, ...rest });
}
