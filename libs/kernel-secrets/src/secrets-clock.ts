import { Injectable } from '@nestjs/common';

/** Decides when an overlap ends. */
@Injectable()
export class SecretsClock {
  now(): Date {
    return new Date();
  }
}
