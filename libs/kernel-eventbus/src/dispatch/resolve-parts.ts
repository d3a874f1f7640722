import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';

/** An extension of the host: an object, or a class that Nest provides or instantiates. */
export type Part<T extends object> = T | Type<T>;

/** A class that a module provides is taken from there; any other is instantiated with its dependencies. */
export async function resolveParts<T extends object>(moduleRef: ModuleRef, parts: readonly Part<T>[]): Promise<T[]> {
  const resolved: T[] = [];
  for (const part of parts) {
    resolved.push(typeof part === 'function' ? await resolvePart(moduleRef, part) : part);
  }
  return resolved;
}

async function resolvePart<T extends object>(moduleRef: ModuleRef, part: Type<T>): Promise<T> {
  try {
    return moduleRef.get(part, { strict: false });
  } catch {
    return moduleRef.create(part);
  }
}
