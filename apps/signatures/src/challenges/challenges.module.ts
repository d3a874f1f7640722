import { Module } from '@nestjs/common';
import { DemoModule } from '../demo/demo.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { ChallengesController } from './challenges.controller.js';
import { GuardedProvider } from './guarded-provider.js';
import { SendChallenge } from './send-challenge.js';

@Module({
  imports: [SigningModule, DemoModule],
  controllers: [ChallengesController],
  providers: [GuardedProvider, SendChallenge],
})
export class ChallengesModule {}
