import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';

/** Names this process as the holder of leases; a restarted process is another worker. */
@Injectable()
export class WorkerIdentity {
  readonly id = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
}
