import { createZodDto } from 'nestjs-zod';
import { LedgerQuery, LedgerRecord } from '@kernel/eventbus/engine';
import { pageSchema } from '../page-schema.js';

export class AuditQuery extends createZodDto(LedgerQuery) {}

export class AuditPage extends createZodDto(pageSchema(LedgerRecord)) {}
