import { createHmac, createSecretKey } from 'node:crypto';
import { signStandardWebhook } from './sign-standard-webhook.js';

const KEY = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');

describe('signStandardWebhook', () => {
  it('[KER-5b] gives the signature that the specification publishes for its example', () => {
    const headers = signStandardWebhook([createSecretKey(KEY)], {
      messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: new Date(1614265330 * 1000),
      body: '{"test": 2432232314}',
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('signs whole seconds, rounded down', () => {
    const at = (timestamp: Date) =>
      signStandardWebhook([createSecretKey(KEY)], { messageId: 'm', timestamp, body: '' });
    expect(at(new Date(1614265330_999))).toEqual(at(new Date(1614265330_000)));
  });

  it('signs bytes that are no text as they are', () => {
    const body = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a]);
    const headers = signStandardWebhook([createSecretKey(KEY)], { messageId: 'm', timestamp: new Date(0), body });
    const signed = Buffer.concat([Buffer.from('m.0.'), body]);
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
  });
});
