import { Req, type Type } from '@nestjs/common';
import type { Request } from 'express';
import { isZodDto } from 'nestjs-zod/dto';
import type { AdminPrincipal } from './admin-principal.js';
import { type DeclaredInput, documentInput } from './document-input.js';

type Handler = (this: unknown, ...args: unknown[]) => unknown;

/** Validated input and principal, as set by the guards. */
export type Input = Partial<Record<keyof DeclaredInput, unknown>> & { principal?: AdminPrincipal };

interface Parameter {
  index: number;
  source: keyof Input;
}

const PARAMETERS = Symbol('parameters');
const DECLARED = Symbol('declared input');
const inputs = new WeakMap<Request, Input>();

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

export function keepInput(request: Request, input: Input): void {
  inputs.set(request, { ...inputs.get(request), ...input });
}

export function declaredInput(handler: object): DeclaredInput {
  return (Reflect.getMetadata(DECLARED, handler) as DeclaredInput | undefined) ?? {};
}

/** Class decorator: passes the validated input to the handlers and describes it in the OpenAPI document. */
export function bindInput(controller: { prototype: object }): void {
  const prototype = controller.prototype as Record<string, Handler>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const parameters = Reflect.getOwnMetadata(PARAMETERS, prototype, name) as Parameter[] | undefined;
    if (parameters) {
      const types = Reflect.getOwnMetadata('design:paramtypes', prototype, name) as Type[];
      const handler = bound(prototype[name]!, parameters);
      const declared = declare(parameters, types);
      Reflect.defineMetadata(DECLARED, declared, handler);
      documentInput(declared, prototype, name, handler);
      prototype[name] = handler;
    }
  }
}

function fromRequest(source: keyof Input): ParameterDecorator {
  return (prototype, name, index) => {
    Req()(prototype, name, index);
    const others = (Reflect.getOwnMetadata(PARAMETERS, prototype, name!) as Parameter[] | undefined) ?? [];
    Reflect.defineMetadata(PARAMETERS, [{ index, source }, ...others], prototype, name!);
  };
}

function bound(handler: Handler, parameters: readonly Parameter[]): Handler {
  const withInput: Handler = function (...args) {
    for (const { index, source } of parameters) {
      args[index] = inputs.get(args[index] as Request)?.[source];
    }
    return handler.apply(this, args);
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
    if (source !== 'principal') {
      const type: unknown = types[index];
      if (!isZodDto(type)) {
        throw new Error(`a parameter with @${source} needs a DTO of nestjs-zod as its type`);
      }
      declared[source] = type;
    }
  }
  return declared;
}
