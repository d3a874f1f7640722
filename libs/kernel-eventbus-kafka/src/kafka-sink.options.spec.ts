import { InvalidOptionsError } from '@kernel/eventbus';
import { resolveKafkaConfig, type KafkaSinkOptions } from './kafka-sink.options.js';

const good = { brokers: ['kafka-1.example:9092', '[::1]:9092'], topics: ['orders'] };
const password = 'hunter2-hunter2';

describe('the options of the Kafka sink', () => {
  it('have defaults', () => {
    expect(resolveKafkaConfig(good)).toMatchObject({
      clientId: 'kernel-eventbus',
      idempotent: true,
      producers: 4,
      requestTimeoutMs: 3_000,
      connectTimeoutMs: 3_000,
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no broker', { brokers: [] }, 'brokers'],
    ['a broker with credentials', { brokers: [`me:${password}@kafka:9092`] }, 'brokers.0'],
    ['a broker without a port', { brokers: ['kafka'] }, 'brokers.0'],
    ['no topic', { topics: [] }, 'topics'],
    ['a topic of other characters', { topics: ['orders', 'a/b'] }, 'topics.1'],
    ['a password over a plain connection', { sasl: { mechanism: 'PLAIN', username: 'me', password } }, 'tls'],
    ['an unknown mechanism', { sasl: { mechanism: 'NTLM', password } }, 'sasl.mechanism'],
    ['an empty password', { tls: {}, sasl: { mechanism: 'PLAIN', username: 'me', password: '' } }, 'sasl.password'],
    ['a client id with a blank', { clientId: 'my app' }, 'clientId'],
    ['no producer', { producers: 0 }, 'producers'],
    ['an unknown option', { acks: 1 }, 'acks'],
  ])('name what is wrong: %s', (_what, options, path) => {
    const resolving = () => resolveKafkaConfig({ ...good, ...options });
    expect(resolving).toThrow(InvalidOptionsError);
    expect(resolving).toThrow(`not valid: ${path}: `);
    expect(resolving).not.toThrow(password);
  });

  it.each<KafkaSinkOptions>([
    { ...good, tls: {}, sasl: { mechanism: 'PLAIN', username: 'me', password: () => password } },
    { ...good, sasl: { mechanism: 'SCRAM-SHA-512', username: 'me', password } },
  ])('take credentials that do not travel in the clear', (options) => {
    expect(resolveKafkaConfig(options).sasl).toEqual(options.sasl);
  });
});
