import { AuthenticationError, MultipleErrors, NetworkError, ProtocolError, TimeoutError } from '@platformatic/kafka';
import { classifyKafkaError, isRefusal } from './classify-kafka-error.js';

const network = (code: string) =>
  new NetworkError('Connection to kafka-1.internal:9092 failed.', { cause: Object.assign(new Error('no'), { code }) });
const tries = (...errors: Error[]) =>
  new MultipleErrors('Producing messages failed.', [new MultipleErrors('produce failed 3 times.', errors)]);

describe('what becomes of an error of the Kafka client', () => {
  it.each<[string, unknown, string, string]>([
    ['a refused connection', network('ECONNREFUSED'), 'connection', 'no broker can be reached (ECONNREFUSED)'],
    ['a request without an answer', new TimeoutError('Request timed out'), 'timeout', 'no broker answered in time'],
    ['a certificate nobody trusts', network('SELF_SIGNED_CERT_IN_CHAIN'), 'tls', '(SELF_SIGNED_CERT_IN_CHAIN)'],
    ['wrong credentials', new AuthenticationError('SASL failed'), 'unavailable', 'do not take the credentials'],
    ['an error of the cluster', new ProtocolError('KAFKA_STORAGE_ERROR'), 'unavailable', '(KAFKA_STORAGE_ERROR)'],
    ['an unknown topic', new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION'), 'unavailable', 'the topic does not exist'],
    ['a policy of the cluster', new ProtocolError('POLICY_VIOLATION'), 'refused', '(POLICY_VIOLATION)'],
    [
      'the last of several tries',
      tries(new ProtocolError('KAFKA_STORAGE_ERROR'), network('ECONNRESET')),
      'connection',
      'ECONNRESET',
    ],
    [
      'a refusal after a lost connection',
      tries(network('ECONNRESET'), new ProtocolError('MESSAGE_TOO_LARGE')),
      'refused',
      'MESSAGE_TOO_LARGE',
    ],
    ['an error of unknown make', new Error('boom'), 'connection', '(unknown)'],
    ['something that is no error', undefined, 'connection', '(unknown)'],
  ])('%s', (_what, error, errorClass, words) => {
    const failure = classifyKafkaError(error);
    expect(failure).toEqual({ errorClass, message: expect.stringContaining(words) });
    expect(failure.message).not.toContain('internal');
  });

  it('finds a refusal among the errors of several brokers', () => {
    const several = new MultipleErrors('failed', [new ProtocolError('MESSAGE_TOO_LARGE'), network('ECONNRESET')]);
    expect(isRefusal(several)).toBe(true);
    expect(isRefusal(tries(new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION')))).toBe(true);
    expect(isRefusal(tries(network('ECONNRESET')))).toBe(false);
  });
});
