import { classifyFailure } from './classify-failure.js';

describe('classifyFailure', () => {
  it.each([
    ['ECONNREFUSED', 'connection'],
    ['UND_ERR_SOCKET', 'connection'],
    ['EVENTBUS_POOLS_CLOSED', 'connection'],
    ['ESOMETHINGNEW', 'connection'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['EPROTO', 'tls'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['UND_ERR_HEADERS_OVERFLOW', 'protocol'],
    ['EVENTBUS_UNPINNED_REQUEST', 'guard'],
  ])('%s is a %s failure, and its message ends with the code', (code, errorClass) => {
    expect(classifyFailure(code)).toEqual({ errorClass, message: expect.stringMatching(new RegExp(`\\(${code}\\)$`)) });
  });
});
