import { HttpService } from '@nestjs/axios';
import type { FactoryProvider } from '@nestjs/common';
import axios from 'axios';
import type { AxiosInstance, AxiosInterceptorManager, AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';

/**
 * An axios that goes straight to the request's adapter while nobody intercepts. Merging defaults into a config that names
 * everything took a third of a worker's time; whoever adds an interceptor gets all of axios back.
 */
export function createDirectAxios(): AxiosInstance {
  const instance = axios.create();
  const throughAxios = instance.request.bind(instance);
  const request = (config: AxiosRequestConfig) => {
    const { adapter } = config;
    const isDirect =
      typeof adapter === 'function' &&
      !isUsed(instance.interceptors.request) &&
      !isUsed(instance.interceptors.response);
    return isDirect ? adapter(withDefaultHeaders(config, instance)) : throughAxios(config);
  };
  return Object.assign(instance, { request });
}

/** An axios of our own: that of HttpModule would be the one that the host may have configured for itself. */
export const directHttpService: FactoryProvider<HttpService> = {
  provide: HttpService,
  useFactory: () => new HttpService(createDirectAxios()),
};

function isUsed<V>({ handlers }: AxiosInterceptorManager<V>): boolean {
  return handlers === undefined || handlers.some((handler) => handler !== null);
}

function withDefaultHeaders(config: AxiosRequestConfig, { defaults }: AxiosInstance): InternalAxiosRequestConfig {
  return { ...config, headers: { ...defaults.headers.common, ...config.headers } } as InternalAxiosRequestConfig;
}
