import { Injectable } from '@nestjs/common';
import { BulkReplay } from '../bulk-replay.js';
import { MissingReplay } from '../missing-replay.js';
import type { OperationKind } from './operation.js';
import type { OperationWork } from './operation-work.js';

/** Maps kinds of operations to their work. */
@Injectable()
export class OperationWorks {
  constructor(
    private readonly bulk: BulkReplay,
    private readonly missing: MissingReplay,
  ) {}

  of(kind: OperationKind): OperationWork {
    return kind === 'replay-missing' ? this.missing : this.bulk;
  }
}
