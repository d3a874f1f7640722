import { z } from 'zod';

const isFunction = (value: unknown) => typeof value === 'function';

export const ClassDecorators = z
  .array(z.custom<ClassDecorator>(isFunction, 'must be a class decorator, e.g. Public()'))
  .readonly()
  .default([]);
