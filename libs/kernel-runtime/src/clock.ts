import { Injectable } from '@nestjs/common';

/** Time for envelopes and signatures. Due times are always decided by the database's clock. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
