import { printableAlias, SecretAlias } from './secret-alias.js';

describe('SecretAlias', () => {
  it.each(['abc', 'erp-billing', 'webhook.customer_7', `a${'b'.repeat(139)}`])('takes %s', (alias) => {
    expect(SecretAlias.parse(alias)).toBe(alias);
  });

  it.each([
    '',
    'ab',
    `a${'b'.repeat(140)}`,
    '.hidden',
    '-flag',
    '../etc',
    'a/b/c',
    'with space',
    'line\nbreak',
    'ümlaut',
  ])('refuses %j and says what is allowed', (alias) => {
    expect(SecretAlias.safeParse(alias).error?.issues[0]?.message).toContain('3 to 140 characters');
  });

  it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'WHSEC_abc', 'whsec_a+b/c==', 'whsk_abc'])(
    '[KER-6c] refuses a secret in place of an alias: %s',
    (alias) => {
      const { error } = SecretAlias.safeParse(alias);
      expect(error?.issues.map(({ message }) => message)).toEqual(['an alias names a secret, it is not one']);
      expect(error?.message).not.toContain(alias);
    },
  );

  it('[KER-6c] is not repeated in messages when it is none', () => {
    expect(printableAlias('erp-billing')).toBe('"erp-billing"');
    expect(printableAlias('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe('(not a valid alias)');
  });
});
