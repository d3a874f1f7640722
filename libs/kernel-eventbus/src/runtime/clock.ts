import { Injectable } from '@nestjs/common';

/** The time that goes into envelopes and signatures. What is due is decided by the database's clock, never by this one. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
