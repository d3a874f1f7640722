import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';

/** A part that the host plugs in: an object, or a class that Nest has or makes an instance of. */
export type Part<T extends object> = T | Type<T>;

/** A class that some module provides is taken from there; one that nobody provides is made with what it asks for. */
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
