import { type ExecutionContext, Req, Res, type Type } from '@nestjs/common';
import { Exchange } from '@kernel/runtime';
import { isZodDto } from 'nestjs-zod/dto';
import type { AdminPrincipal } from './admin-principal.js';
import { type DeclaredInput, documentInput } from './document-input.js';

type Handler = (this: unknown, ...args: unknown[]) => unknown;

/** Validated input and principal, as set by the guards. */
export type Input = Partial<Record<keyof DeclaredInput, unknown>> & { principal?: AdminPrincipal };

type Source = keyof Input | 'exchange';

interface Parameter {
  index: number;
  source: Source;
}

const PARAMETERS = Symbol('parameters');
const DECLARED = Symbol('declared input');
const inputs = new WeakMap<Exchange, Input>();

/**
 * Nest sends the values of its own `@Body()`, `@Query()` and `@Param()`, and of every custom parameter decorator,
 * through the global pipes of the host, which may strip, change or refuse them. The request itself passes through no
 * pipe. So these decorators ask Nest for the request, and `bindInput` replaces it with the input that the guards read.
 */
export const Params = () => fromRequest('params');
export const Query = () => fromRequest('query');
export const Body = () => fromRequest('body');
/** The caller that the guard admitted. */
export const Principal = () => fromRequest('principal');
/** The request and its response. */
export const HttpExchange = () => fromRequest('exchange');

export function exchangeOf(context: ExecutionContext): Exchange {
  const http = context.switchToHttp();
  return Exchange.of(http.getRequest<object>(), http.getResponse<object>());
}

export function keepInput(exchange: Exchange, input: Input): void {
  inputs.set(exchange, { ...inputs.get(exchange), ...input });
}

export function declaredInput(handler: object): DeclaredInput {
  return (Reflect.getMetadata(DECLARED, handler) as DeclaredInput | undefined) ?? {};
}

/**
 * Class decorator: passes the validated input to the handlers and describes it in the OpenAPI document. Each handler
 * also asks for the response, as its last argument: Nest then sends nothing itself, whatever interceptors of the host
 * make of the result. `AnswerInterceptor` sends it.
 */
export function bindInput(controller: { prototype: object }): void {
  const prototype = controller.prototype as Record<string, Handler>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    // Set for every method with a decorator, which makes it a handler, also for one without parameters.
    const types = Reflect.getOwnMetadata('design:paramtypes', prototype, name) as Type[] | undefined;
    if (types) {
      const parameters = (Reflect.getOwnMetadata(PARAMETERS, prototype, name) as Parameter[] | undefined) ?? [];
      const handler = bound(prototype[name]!, parameters, types.length);
      Res()(prototype, name, types.length);
      const declared = declare(parameters, types);
      Reflect.defineMetadata(DECLARED, declared, handler);
      documentInput(declared, prototype, name, handler);
      prototype[name] = handler;
    }
  }
}

function fromRequest(source: Source): ParameterDecorator {
  return (prototype, name, index) => {
    Req()(prototype, name, index);
    const others = (Reflect.getOwnMetadata(PARAMETERS, prototype, name!) as Parameter[] | undefined) ?? [];
    Reflect.defineMetadata(PARAMETERS, [{ index, source }, ...others], prototype, name!);
  };
}

function bound(handler: Handler, parameters: readonly Parameter[], responseIndex: number): Handler {
  const withInput: Handler = function (...args) {
    for (const { index, source } of parameters) {
      const exchange = Exchange.of(args[index] as object, args[responseIndex] as object);
      args[index] = source === 'exchange' ? exchange : inputs.get(exchange)?.[source];
    }
    return handler.apply(this, args.slice(0, responseIndex));
  };
  // Routes, responses and roles are metadata of the function, and the OpenAPI document names operations after it.
  for (const key of Reflect.getOwnMetadataKeys(handler)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, handler), withInput);
  }
  return Object.defineProperty(withInput, 'name', { value: handler.name });
}

function declare(parameters: readonly Parameter[], types: readonly Type[]): DeclaredInput {
  const declared: DeclaredInput = {};
  for (const { index, source } of parameters) {
    if (source !== 'principal' && source !== 'exchange') {
      const type: unknown = types[index];
      if (!isZodDto(type)) {
        throw new Error(`a parameter with @${source} needs a DTO of nestjs-zod as its type`);
      }
      declared[source] = type;
    }
  }
  return declared;
}
