import { Injectable } from '@nestjs/common';

/** Decides when an overlap is over. */
@Injectable()
export class SecretsClock {
  now(): Date {
    return new Date();
  }
}
