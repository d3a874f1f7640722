import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Id } from '@kernel/eventbus/engine';

export class IdParams extends createZodDto(z.strictObject({ id: Id })) {}
