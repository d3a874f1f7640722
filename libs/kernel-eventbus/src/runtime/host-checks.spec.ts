import { requireEqualOrmVersions } from './host-checks.js';

describe('the versions of MikroORM', () => {
  it('pass if all are equal, or cannot be found', () => {
    requireEqualOrmVersions();
    requireEqualOrmVersions(() => undefined);
  });

  it('stop the start if one differs, and name each', () => {
    const versionOf = (name: string) => (name === '@mikro-orm/migrations' ? '7.0.0' : undefined);
    expect(() => requireEqualOrmVersions(versionOf)).toThrow(
      /^the versions of MikroORM's packages differ \(@mikro-orm\/core 7\.\S+, .*@mikro-orm\/migrations 7\.0\.0.*same version\.$/,
    );
  });
});
