import { welcome } from './welcome.ts';

const running = {
  role: 'all',
  url: 'http://127.0.0.1:3000',
  consoleLink: 'http://127.0.0.1:3000/console#code=once',
  receiverUrl: 'http://127.0.0.1:3001',
  demoTenantId: '00000000-0000-4000-8000-000000000310',
  adminTokenFile: '/project/.data/admin-token',
};

describe('welcome', () => {
  it('invites to try a curl line that stands on one line and can be pasted', () => {
    const [line] = /curl .*\/invoices .*/.exec(welcome(running))!;
    const body = /-d '(.*)'$/.exec(line)![1]!;
    expect(JSON.parse(body)).toMatchObject({ tenantId: running.demoTenantId });
    expect(line).toContain('http://127.0.0.1:3000/invoices');
  });

  it('says where things are', () => {
    const text = welcome(running);
    for (const place of [
      running.consoleLink,
      'http://127.0.0.1:3000/docs',
      'http://127.0.0.1:3001/received',
      running.adminTokenFile,
    ]) {
      expect(text).toContain(place);
    }
  });

  it('invites to nothing that is not there', () => {
    const text = welcome({ ...running, receiverUrl: undefined, demoTenantId: undefined, adminTokenFile: undefined });
    expect(text).not.toMatch(/curl|received|demo/);
    expect(text).toContain('EVENTBUS_ADMIN_TOKEN');
    expect(welcome({ ...running, demoTenantId: undefined })).not.toMatch(/curl|received|demo/);
    expect(welcome({ ...running, role: 'worker' })).not.toMatch(/docs|console|curl/);
  });
});
