import { Module } from '@nestjs/common';
import { SigningModule } from '../signing/signing.module.js';
import { ExpireSignatures } from './expire-signatures.js';
import { ExpirySchedule } from './expiry-schedule.js';

@Module({ imports: [SigningModule], providers: [ExpireSignatures, ExpirySchedule] })
export class ExpiryModule {}
