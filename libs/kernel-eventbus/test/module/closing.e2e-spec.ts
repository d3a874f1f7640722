import { startKernelApp } from '@kernel/test-support/kernel-app';

describe('an application that is closed', () => {
  it('lets connections that are being made come to their end first, or it would wait for them for ever', async () => {
    const kernel = await startKernelApp({ role: 'api' });
    const asked = Promise.all(
      Array.from({ length: 5 }, () => kernel.em.fork().execute<{ n: number }[]>('select 1 as n')),
    );
    await kernel.close();
    expect(await asked).toEqual(Array.from({ length: 5 }, () => [{ n: 1 }]));
  });
});
