import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { type Caller, parseCaller } from '../../access/caller.js';
import { parseId, parseInput } from '../../access/parse-input.js';
import type { Page } from '../../paging/page.js';
import type { ShownEndpoint } from './endpoint-details.js';
import { EndpointChanges, EndpointQuery, NewEndpoint, SecretRotation } from './endpoint-input.js';
import { EndpointPinger, type PingResult } from './endpoint-pinger.js';
import { EndpointReader } from './endpoint-reader.js';
import { EndpointRequests, type EndpointWithSecret } from './endpoint-requests.js';
import { EndpointRotation, type RotatedEndpointSecret } from './endpoint-rotation.js';

/**
 * Endpoints for the host's own pages, jobs and scripts, with the rules, limits and ledger entries of the admin API. Each
 * call has its own transaction.
 * @throws {RequestRefusedError} when a request is refused; it changed nothing then
 */
@Injectable()
export class EndpointService {
  constructor(
    private readonly reader: EndpointReader,
    private readonly requests: EndpointRequests,
    private readonly rotation: EndpointRotation,
    private readonly pinger: EndpointPinger,
  ) {}

  /** Without a `signingSecretAlias` a secret is made; the result shows it this once. */
  async create(caller: Caller, endpoint: z.input<typeof NewEndpoint>): Promise<EndpointWithSecret> {
    return this.requests.create(parseCaller(caller), parseInput(NewEndpoint, endpoint));
  }

  async update(
    caller: Caller,
    endpointId: string,
    changes: z.input<typeof EndpointChanges>,
  ): Promise<EndpointWithSecret> {
    return this.requests.update(parseCaller(caller), parseId(endpointId), parseInput(EndpointChanges, changes));
  }

  /** Open deliveries are sent again. Events published while it was disabled: `ReplayService.replayMissing`. */
  async enable(caller: Caller, endpointId: string): Promise<EndpointWithSecret> {
    return this.update(caller, endpointId, { isEnabled: true });
  }

  /** Parks open deliveries, without an attempt. New events create no delivery. */
  async disable(caller: Caller, endpointId: string): Promise<EndpointWithSecret> {
    return this.update(caller, endpointId, { isEnabled: false });
  }

  /** Open deliveries go to the DLQ; the history stays. */
  async delete(caller: Caller, endpointId: string): Promise<void> {
    await this.requests.remove(parseCaller(caller), parseId(endpointId));
  }

  /** Makes a new signing secret. The earlier ones sign beside it for `overlapSeconds` (86400). */
  async rotate(
    caller: Caller,
    endpointId: string,
    rotation?: z.input<typeof SecretRotation>,
  ): Promise<RotatedEndpointSecret> {
    const { overlapSeconds } = parseInput(SecretRotation, rotation);
    return this.rotation.rotate(parseCaller(caller), parseId(endpointId), overlapSeconds);
  }

  async find(caller: Caller, endpointId: string): Promise<ShownEndpoint> {
    return this.reader.show(parseCaller(caller), parseId(endpointId));
  }

  /** Newest first, without handlers and deleted ones. */
  async list(caller: Caller, query: z.input<typeof EndpointQuery> = {}): Promise<Page<ShownEndpoint>> {
    return this.reader.list(parseCaller(caller), parseInput(EndpointQuery, query));
  }

  /** Sends `kernel.ping.v1` at once. Only the ledger records it. */
  async test(caller: Caller, endpointId: string): Promise<PingResult> {
    const by = parseCaller(caller);
    return this.pinger.ping(by, await this.reader.find(by, parseId(endpointId)));
  }
}
