import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { openVault } from '../../test/open-vault.js';
import { SigningSecretNotFoundError } from '../secrets.errors.js';
import { SigningService } from './signing.service.js';

describe('SigningService', () => {
  it('[KER-5b] signs so that the public library verifies, with the event id and the time in the headers', async () => {
    await using bundle = await setup();
    const { secret, message, signing } = bundle;
    const headers = await signing.sign(message);
    expect(headers['webhook-id']).toBe(message.messageId);
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(message.timestamp.getTime() / 1000)));
    expect(new Webhook(secret).verify(message.body, { ...headers })).toEqual(JSON.parse(message.body));
  });

  it('[KER-5b] signs the bytes: a buffer and its text have one signature, beyond ASCII too', async () => {
    await using bundle = await setup();
    const { secret, message, signing } = bundle;
    const body = Buffer.from(JSON.stringify({ name: 'Zoë Größe 東京 🧾', note: '\u0000\u2028' }));
    const headers = await signing.sign({ ...message, body });
    expect(await signing.sign({ ...message, body: body.toString('utf8') })).toEqual(headers);
    expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({ name: 'Zoë Größe 東京 🧾' });
  });

  it.each([
    ['body', { body: '{"a":2}' }, {}],
    ['id', {}, { 'webhook-id': randomUUID() }],
    ['time', {}, { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 7) }],
  ])('[KER-5b] does not verify with another %s', async (_, changedMessage, changedHeaders) => {
    await using bundle = await setup();
    const { secret, message, signing } = bundle;
    const headers = await signing.sign(message);
    const received = { ...message, ...changedMessage };
    expect(() => new Webhook(secret).verify(received.body, { ...headers, ...changedHeaders })).toThrow(
      'No matching signature found',
    );
  });

  it('signs once per live version, newest first, so that old and new receivers both verify', async () => {
    await using bundle = await setup();
    const { secret, message, signing, vault } = bundle;
    const { value } = await vault.put(message);
    const headers = await signing.sign(message);
    const [newest, oldest, ...rest] = headers['webhook-signature'].split(' ');
    expect(rest).toEqual([]);
    const verify = (text: string, signature: string) =>
      new Webhook(text).verify(message.body, { ...headers, 'webhook-signature': signature });
    expect(() => verify(value.reveal(), newest!)).not.toThrow();
    expect(() => verify(secret, oldest!)).not.toThrow();
    expect(() => verify(secret, headers['webhook-signature'])).not.toThrow();
  });

  it('[KER-5b] signs v1a with ed25519, so that whoever has the public key verifies and nobody else signs', async () => {
    await using bundle = await setup();
    const { vault, message, signing } = bundle;
    const request = { ...message, alias: 'pair', scheme: 'v1a' as const };
    await vault.put({ ...request, kind: 'ed25519' });
    await vault.rotate({ ...request, kind: 'ed25519', overlapSeconds: 60 });
    for (const body of [message.body, Buffer.from([0, 255, 10])]) {
      const headers = await signing.sign({ ...request, body });
      const keys = await signing.publicKeys(message.tenantId, 'pair');
      expect(keys.map(({ version }) => version)).toEqual([2, 1]);
      const signatures = headers['webhook-signature'].split(' ');
      const signed = Buffer.concat([
        Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`),
        Buffer.from(body),
      ]);
      const verified = keys.map(({ publicKey }) => signatures.map((text) => verifies(publicKey, signed, text)));
      expect(verified).toEqual([
        [true, false],
        [false, true],
      ]);
      expect(verifies(keys[0]!.publicKey, Buffer.concat([signed, Buffer.from('x')]), signatures[0]!)).toBe(false);
    }
  });

  it.each([
    ['v1', 'ed25519'],
    ['v1a', 'hmac'],
  ] as const)('does not sign %s with a secret of the kind %s', async (scheme, kind) => {
    await using bundle = await setup();
    const { vault, message, signing } = bundle;
    await vault.put({ tenantId: message.tenantId, alias: 'other', kind });
    const signed = signing.sign({ ...message, alias: 'other', scheme });
    await expect(signed).rejects.toThrow(`has no live version that signs ${scheme}`);
  });

  it('signs nothing for an unknown or revoked alias, and says which', async () => {
    await using bundle = await setup();
    const { message, signing, vault } = bundle;
    const unknown = signing.sign({ ...message, alias: 'unknown' });
    await expect(unknown).rejects.toThrow(SigningSecretNotFoundError);
    await expect(unknown).rejects.toMatchObject({ code: 'SIGNING_SECRET_NOT_FOUND' });
    await expect(unknown).rejects.toThrow(`the secret "unknown" of tenant ${message.tenantId} has no live version`);
    await vault.revoke(message.tenantId, message.alias, 1);
    await expect(signing.sign(message)).rejects.toThrow(SigningSecretNotFoundError);
  });

  it("signs nothing with another tenant's secret", async () => {
    await using bundle = await setup();
    const foreign = bundle.signing.sign({ ...bundle.message, tenantId: randomUUID() });
    await expect(foreign).rejects.toThrow(SigningSecretNotFoundError);
  });

  it('[KER-6c] does not repeat a secret that was given as the alias', async () => {
    await using bundle = await setup();
    const refused = bundle.signing.sign({ ...bundle.message, alias: bundle.secret });
    await expect(refused).rejects.toThrow('(not a valid alias)');
    await expect(refused).rejects.not.toThrow(bundle.secret.slice(6));
  });
});

async function setup() {
  const bundle = await openVault();
  const { vault, tenantId } = bundle;
  const alias = 'billing';
  const { value } = await vault.put({ tenantId, alias });
  const message = { tenantId, alias, messageId: randomUUID(), timestamp: new Date(), body: '{"a":1}' };
  return { ...bundle, secret: value.reveal(), message, signing: new SigningService(vault) };
}

function verifies(publicKey: string, signed: Buffer, signature: string): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, signed, key, Buffer.from(signature.replace(/^v1a,/, ''), 'base64'));
}
