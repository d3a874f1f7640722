import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { Inbox, InvalidInboxOptionsError, NotAnEventError, SignatureInvalidError, type InboxKeys } from '@kernel/inbox';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SECRET, signedMessage, type MessageChanges } from '@kernel/test-support/signed-message';

const OTHER = `whsec_${randomBytes(32).toString('base64')}`;
const inboxWith = (keys: InboxKeys) => Inbox.of({} as EntityManager, { name: 'orders', keys });
const agoSeconds = (seconds: number) => new Date(Date.now() - seconds * 1_000);

const secretOf = (bytes: number) => `whsec_${Buffer.from('secret'.repeat(20)).subarray(0, bytes).toString('base64')}`;

describe('verification', () => {
  it('accepts what the public library has signed, and reads the event', async () => {
    const { event, ...message } = signedMessage({ sequence: 7, previousSequence: 5 });
    expect(await inboxWith([SECRET]).verify(message)).toEqual({ ...event, sequence: 7, previousSequence: 5 });
  });

  it('accepts a body that is not UTF-8 only as the bytes that were signed', async () => {
    const { headers, body } = signedMessage();
    const damaged = Buffer.concat([body.subarray(0, -1), Buffer.from([0xff]), body.subarray(-1)]);
    await expect(inboxWith([SECRET]).verify({ headers, body: damaged })).rejects.toThrow(SignatureInvalidError);
  });

  it('accepts the signature of an ed25519 key by its public half (v1a)', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')}`;
    const { event, headers, body } = signedMessage();
    const signed = Buffer.concat([Buffer.from(`${event.eventId}.${headers['webhook-timestamp']}.`), body]);
    headers['webhook-signature'] = `v1a,${sign(null, signed, privateKey).toString('base64')}`;

    expect(await inboxWith([key]).verify({ headers, body })).toMatchObject({ eventId: event.eventId });
    const other = Buffer.concat([body, Buffer.from(' ')]);
    await expect(inboxWith([key]).verify({ headers, body: other })).rejects.toThrow(SignatureInvalidError);
    await expect(inboxWith([SECRET]).verify({ headers, body })).rejects.toThrow(SignatureInvalidError);
  });

  it('accepts either key while one replaces the other, on either side', async () => {
    const message = signedMessage({ secret: OTHER });
    expect(await inboxWith([SECRET, OTHER]).verify(message)).toMatchObject({ eventId: message.event.eventId });
    const { headers } = signedMessage({ event: message.event });
    const both = `${headers['webhook-signature']} ${message.headers['webhook-signature']}`;
    const rotated = { ...message, headers: { ...message.headers, 'webhook-signature': both } };
    expect(await inboxWith([OTHER]).verify(rotated)).toMatchObject({ eventId: message.event.eventId });
  });

  it.each<[string, MessageChanges]>([
    ['is signed with another key', { secret: OTHER }],
    ['is not signed', { headers: { 'webhook-signature': '' } }],
    ['has an empty signature', { headers: { 'webhook-signature': 'v1, v1' } }],
    ['has a signature of an unknown version', { headers: { 'webhook-signature': 'v9,AAAA' } }],
    ['has no id', { headers: { 'webhook-id': '' } }],
    ['has another id than was signed', { headers: { 'webhook-id': randomUUID() } }],
    ['has no time', { headers: { 'webhook-timestamp': '' } }],
    ['has a time that is no number', { headers: { 'webhook-timestamp': '1e9' } }],
    ['is too old', { signedAt: agoSeconds(400) }],
    ['is of the future', { signedAt: agoSeconds(-400) }],
  ])('refuses what %s', async (_what, changes) => {
    await expect(inboxWith([SECRET]).verify(signedMessage(changes))).rejects.toThrow(SignatureInvalidError);
  });

  it('accepts any age where a broker may have kept it, but not any signature', async () => {
    const old = signedMessage({ signedAt: agoSeconds(864_000) });
    const inbox = inboxWith([SECRET]);
    expect(await inbox.verify(old, { isOfAnyAge: true })).toMatchObject({ eventId: old.event.eventId });
    const forged = signedMessage({ secret: OTHER });
    await expect(inbox.verify(forged, { isOfAnyAge: true })).rejects.toThrow(SignatureInvalidError);
  });

  it.each<[string, MessageChanges]>([
    ['no JSON', { body: '{"eventId":' }],
    ['no object', { body: '["hello"]' }],
    ['an envelope without a stream', { event: { streamKey: '' } }],
    ['said to be of another tenant', { headers: { 'x-kernel-tenant-id': randomUUID() } }],
    ['numbered with something else', { headers: { 'x-kernel-stream-sequence': '-1' } }],
  ])('refuses what is signed but %s', async (_what, changes) => {
    await expect(inboxWith([SECRET]).verify(signedMessage(changes))).rejects.toThrow(NotAnEventError);
  });

  it('refuses an event under the id of another, although both are signed', async () => {
    const { event } = signedMessage();
    const message = signedMessage({ body: JSON.stringify(event) });
    await expect(inboxWith([SECRET]).verify(message)).rejects.toThrow(NotAnEventError);
  });

  it('chooses keys by the tenant that a message claims, whose key then speaks for that tenant alone', async () => {
    const [own, foreign] = [randomUUID(), randomUUID()];
    const inbox = inboxWith(async ({ tenantId }) =>
      tenantId === own ? [SECRET] : tenantId === foreign ? [OTHER] : [],
    );
    const message = signedMessage({ event: { tenantId: own } });
    expect(await inbox.verify(message)).toMatchObject({ tenantId: own });

    const stolen = signedMessage({
      event: { tenantId: own },
      secret: OTHER,
      headers: { 'x-kernel-tenant-id': foreign },
    });
    await expect(inbox.verify(stolen)).rejects.toThrow(NotAnEventError);
    await expect(inbox.verify(signedMessage())).rejects.toThrow('no key for this sender');
  });

  it.each([
    ['a key without its prefix', { keys: ['c2VjcmV0LXNlY3JldC1zZWNyZXQ='] }],
    ['a key that is not base64', { keys: ['whsec_c2Vj cmV0'] }],
    ['a public key of another length', { keys: ['whpk_c2VjcmV0'] }],
    ['a secret under 24 bytes', { keys: [secretOf(23)] }],
    ['a secret over 64 bytes', { keys: [SECRET, secretOf(65)] }],
    ['an empty name', { name: '' }],
    ['no tolerance', { toleranceSeconds: 0 }],
    ['an unknown option', { tolerance: 300 }],
  ])('stops the start at %s, and repeats no key', (_what, wrong) => {
    const start = () => Inbox.of({} as EntityManager, { name: 'orders', keys: [SECRET], ...wrong });
    expect(start).toThrow(InvalidInboxOptionsError);
    expect(start).not.toThrow(/c2Vj/);
  });

  it.each([24, 64])('takes a secret of %d bytes', (bytes) => {
    expect(() => inboxWith([secretOf(bytes)])).not.toThrow();
  });

  it('says the size of a key that does not fit, also of one that a function gives', async () => {
    const size = /whsec_ key of the inbox has 23 bytes; 24 to 64 are allowed/;
    expect(() => inboxWith([secretOf(23)])).toThrow(size);
    await expect(inboxWith(() => [secretOf(23)]).verify(signedMessage())).rejects.toThrow(size);
    expect(() => inboxWith(['whpk_c2VjcmV0'])).toThrow(/whpk_ key of the inbox has 6 bytes; .* has 32/);
  });
});
