import { TimeoutError } from '@platformatic/kafka';

export interface KafkaFailure {
  errorClass: 'refused' | 'unavailable' | 'connection' | 'timeout' | 'tls';
  message: string;
}

/** Permanent refusals: an operator has to change the topic, its rights or the event first. */
const REFUSALS: Record<string, string> = {
  MESSAGE_TOO_LARGE: 'the message is larger than the topic allows',
  RECORD_LIST_TOO_LARGE: 'the message is larger than a segment of the topic',
  INVALID_TOPIC_EXCEPTION: 'the cluster refuses the name of the topic',
  TOPIC_AUTHORIZATION_FAILED: 'this application may not write to the topic',
  CLUSTER_AUTHORIZATION_FAILED: 'this application may not write to the cluster',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'this application may not write so',
  INVALID_RECORD: 'the topic takes no message like this',
  INVALID_TIMESTAMP: "the message's time is out of what the topic takes",
  POLICY_VIOLATION: "the cluster's policy forbids it",
  UNSUPPORTED_FOR_MESSAGE_FORMAT: "the topic's message format is too old",
};

/** Unknown topics are retried: brokers also report this while they start or before they learn of a new topic. */
const UNKNOWN: Record<string, string> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'the topic does not exist, or this application must not see it',
  UNKNOWN_TOPIC_ID: 'the topic does not exist any more',
};

const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/;

/** Uses codes only: the text of a client's error names brokers, which tenants must not see. */
export function classifyKafkaError(error: unknown): KafkaFailure {
  const last = leavesOf(error).at(-1);
  const apiId = textOf(last, 'apiId');
  if (apiId !== undefined) {
    return apiId in REFUSALS
      ? { errorClass: 'refused', message: `${REFUSALS[apiId]} (${apiId})` }
      : { errorClass: 'unavailable', message: `${UNKNOWN[apiId] ?? 'the cluster cannot take it now'} (${apiId})` };
  }
  const codes = codesOf(last);
  const tlsCode = codes.find((code) => TLS_CODE.test(code));
  if (tlsCode) {
    return { errorClass: 'tls', message: `TLS failed: check the certificates of the brokers (${tlsCode})` };
  }
  // The client reports a timeout with the code of a lost connection.
  if (last instanceof TimeoutError || codes.includes('ETIMEDOUT')) {
    return { errorClass: 'timeout', message: 'no broker answered in time' };
  }
  if (codes.includes('PLT_KFK_AUTHENTICATION')) {
    return { errorClass: 'unavailable', message: 'the brokers do not take the credentials of this application' };
  }
  return { errorClass: 'connection', message: `no broker can be reached (${codes.at(-1) ?? 'unknown'})` };
}

/** True if a broker refused some of the messages, so the rest may succeed without them. */
export function isRefusal(error: unknown): boolean {
  return leavesOf(error).some((leaf) => (textOf(leaf, 'apiId') ?? '') in { ...REFUSALS, ...UNKNOWN });
}

/** True if the cluster lets this application write, but not as an idempotent producer. */
export function isIdempotenceRefusal(error: unknown): boolean {
  const leaf = leavesOf(error).at(-1);
  const refusals = ['CLUSTER_AUTHORIZATION_FAILED', 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED', 'UNSUPPORTED_VERSION'];
  return refusals.includes(textOf(leaf, 'apiId') ?? '') || codesOf(leaf).includes('PLT_KFK_UNSUPPORTED_API');
}

/** The errors of each try and each broker, oldest first. */
function leavesOf(error: unknown): unknown[] {
  const errors = (error as { errors?: unknown } | null | undefined)?.errors;
  return Array.isArray(errors) && errors.length > 0 ? errors.flatMap(leavesOf) : [error];
}

/** The error's code and those of its causes. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) {
    return [];
  }
  const code = textOf(error, 'code');
  const { cause } = error as { cause?: unknown };
  return [...(code === undefined ? [] : [code]), ...leavesOf(cause).flatMap(codesOf)];
}

function textOf(error: unknown, name: string): string | undefined {
  const value = (error as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
