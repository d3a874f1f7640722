import type { paths } from './admin-api.schema.ts';

type Base = '/admin/eventbus';
type Below<Path> = Path extends `${Base}${infer Rest}` ? Rest : never;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Success = 200 | 201 | 202;
type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;

/** Body of a successful response of the admin API, by the route as the OpenAPI document writes it. */
export type ResponseOf<Path extends Below<keyof paths>, Verb extends Method = 'get'> =
  paths[`${Base}${Path}`] extends Record<Verb, { responses: infer Responses }>
    ? JsonOf<Responses[keyof Responses & Success]>
    : never;

/** One item of a list. */
export type ItemOf<Path extends Below<keyof paths>> = ResponseOf<Path> extends { items: (infer Item)[] } ? Item : never;
