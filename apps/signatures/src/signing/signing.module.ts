import { Module } from '@nestjs/common';
import { SignatureKeys } from '../customers/signature-keys.js';
import { AbortSignature } from './abort-signature.js';
import { CompleteSignature } from './complete-signature.js';
import { Occasions } from './occasion.js';
import { SignatureRequestsController } from './signature-requests.controller.js';
import { SignatureRequests } from './signature-requests.js';
import { StartSignature } from './start-signature.js';

@Module({
  controllers: [SignatureRequestsController],
  providers: [SignatureKeys, Occasions, SignatureRequests, StartSignature, CompleteSignature, AbortSignature],
  exports: [SignatureKeys, Occasions, SignatureRequests],
})
export class SigningModule {}
