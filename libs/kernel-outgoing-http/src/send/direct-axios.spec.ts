import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import { createDirectAxios } from './direct-axios.js';

function setup() {
  const asked: InternalAxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (config) => {
    asked.push(config);
    return { data: '', status: 204, statusText: '', headers: {}, config };
  };
  return { client: createDirectAxios(), adapter, asked };
}

describe('createDirectAxios', () => {
  it('hands the request to its adapter as it is, with the default headers behind its own', async () => {
    const { client, adapter, asked } = setup();
    client.defaults.headers.common['x-default'] = 'kept';
    const config = { adapter, url: 'https://a.test', data: 'bytes', headers: { 'x-own': '1', accept: 'text/plain' } };
    expect(await client.request(config)).toMatchObject({ status: 204 });
    expect(asked).toEqual([
      {
        adapter,
        url: 'https://a.test',
        data: 'bytes',
        headers: { ...client.defaults.headers.common, 'x-own': '1', accept: 'text/plain' },
      },
    ]);
    expect(asked[0]!.headers).toMatchObject({ 'x-default': 'kept' });
    expect(config.headers).toEqual({ 'x-own': '1', accept: 'text/plain' });
  });

  it('goes the whole way of axios while somebody intercepts', async () => {
    const { client, adapter, asked } = setup();
    const id = client.interceptors.request.use((config) => {
      config.headers.set('x-intercepted', 'yes');
      return config;
    });
    const seen: number[] = [];
    const responseId = client.interceptors.response.use((response) => {
      seen.push(response.status);
      return response;
    });
    await client.request({ adapter, url: 'https://a.test' });
    expect(asked[0]!.headers.get('x-intercepted')).toBe('yes');
    expect(asked[0]!.timeout).toBe(0);
    expect(seen).toEqual([204]);

    client.interceptors.request.eject(id);
    client.interceptors.response.eject(responseId);
    await client.request({ adapter, url: 'https://a.test' });
    expect(asked[1]!.timeout).toBeUndefined();
    expect(seen).toEqual([204]);
  });
});
