import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';

/** Identifies this process as a lease holder; a restarted process is a new worker. */
@Injectable()
export class WorkerIdentity {
  readonly id = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
}
