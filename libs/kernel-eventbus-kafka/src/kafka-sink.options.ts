import type { ConnectionOptions } from 'node:tls';
import { InvalidOptionsError } from '@kernel/eventbus';
import { z } from 'zod';
import { checkTemplate } from './topic-template.js';

/** Values, or functions that are asked at each new connection. */
type Credential = string | (() => string | Promise<string>);

export interface KafkaSasl {
  mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER';
  username?: Credential;
  password?: Credential;
  /** For OAUTHBEARER. */
  token?: Credential;
}

export interface KafkaSinkOptions {
  /** Where to begin, each as `host:port`. Endpoints never name brokers, so that no tenant says where this process connects to. */
  brokers: string[];
  /**
   * What endpoints may name, exactly as listed: `kafka:orders` for `orders`. `{tenantId}` and `{type}` stand for those of the
   * event. Every tenant may use every one of them, so keep tenants apart by `{tenantId}`.
   */
  topics: string[];
  /** As `node:tls` has it; `{}` for TLS with the system's authorities. Default: none. */
  tls?: ConnectionOptions;
  /** Default: none. Mechanisms that send the secret itself need `tls`. */
  sasl?: KafkaSasl;
  /** By which the brokers know this application. Default: kernel-eventbus. */
  clientId?: string;
  /** Asks the broker to recognise what the client repeats; one that does not allow it is written to without. Default: true. */
  idempotent?: boolean;
  /** Producers, each with its own connections; those of one stream always take the same. Default: 4. */
  producers?: number;
  /** For each request to a broker; a client repeats one twice within an attempt. Default: 3000. */
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

/** The options with their defaults, for injection. */
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

/** Names what is wrong, and never quotes a value: credentials may be among them. */
export function resolveKafkaConfig(options: KafkaSinkOptions): KafkaSinkConfig {
  const parsed = KafkaSinkOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
    throw new InvalidOptionsError(`KafkaSinkModule options are not valid: ${problems.join('; ')}`);
  }
  const { tls, sasl, ...rest } = parsed.data;
  return Object.freeze({ tls, sasl, ...rest });
}
