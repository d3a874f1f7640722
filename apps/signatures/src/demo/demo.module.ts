import { Module } from '@nestjs/common';
import { ChallengeProvider } from '../challenges/challenge-provider.js';
import { DemoController } from './demo.controller.js';
import { DemoProvider } from './demo-provider.js';

/** Replace it with the module of a real gateway that exports `ChallengeProvider`. */
@Module({
  controllers: [DemoController],
  providers: [DemoProvider, { provide: ChallengeProvider, useExisting: DemoProvider }],
  exports: [ChallengeProvider],
})
export class DemoModule {}
