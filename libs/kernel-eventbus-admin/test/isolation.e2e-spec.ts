import { randomUUID } from 'node:crypto';
import { createTestDatabase } from '@kernel/test-support/test-database';
import { AdminApi } from '@kernel/test-support/admin-api';

const AT_ONCE = 10;

describe('admin requests that change the same row at once', () => {
  it.each(['repeatable read', 'serializable'])(
    'wait for each other where the default isolation is %s',
    async (level) => {
      const database = await createTestDatabase();
      await database.query(
        `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_isolation = '${level}'`,
      );
      const api = await AdminApi.start({ database });
      try {
        const { endpointId } = await api.createEndpoint(randomUUID());
        const changes = Array.from({ length: AT_ONCE }, (_, n) =>
          api.operator.patch(`/endpoints/${endpointId}`, { name: `name ${n}` }).then(({ status }) => status),
        );
        expect(await Promise.all(changes)).toEqual(changes.map(() => 200));
      } finally {
        await api.close();
        await database.drop();
      }
    },
  );
});
