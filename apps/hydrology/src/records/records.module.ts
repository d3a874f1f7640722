import { Module } from '@nestjs/common';
import { OutboxRecords } from './outbox-records.js';

@Module({ providers: [OutboxRecords], exports: [OutboxRecords] })
export class RecordsModule {}
