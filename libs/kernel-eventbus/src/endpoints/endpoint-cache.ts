import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EndpointSettings } from './endpoint-settings.js';

/** The version of an endpoint that a statement saw. */
export interface SeenEndpoint {
  endpointId: string;
  endpointVersion: string;
}

/** Of all settings as JSON: room for 10,000 ordinary endpoints, or about 100 with the longest subscriptions. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Settings are read again after this time. A version is a transaction's id: a server that lost its last transactions in
 * a failover or was restored from a backup may use the same id for another change.
 */
const MAX_AGE_MS = 60_000;

interface Known {
  settings: EndpointSettings;
  characters: number;
  readAt: number;
}

/**
 * Settings of endpoints by version. Statements return versions, and only unknown ones are read. All deliveries of a
 * version share one object. The endpoints that were not used for longest are evicted.
 */
@Injectable()
export class EndpointCache {
  readonly #known = new Map<string, Known>();
  #characters = 0;

  /**
   * Settings by endpoint id: of the version that the statement saw, or of a newer one. `read` reads unknown endpoints
   * in a later snapshot than the statement's, never in an older one.
   */
  async resolve(
    seen: Iterable<SeenEndpoint>,
    read: (endpointIds: string[]) => Promise<EndpointSettings[]>,
  ): Promise<ReadonlyMap<string, EndpointSettings>> {
    const resolved = new Map<string, EndpointSettings>();
    const unknown = new Set<string>();
    for (const { endpointId, endpointVersion } of seen) {
      if (resolved.has(endpointId) || unknown.has(endpointId)) {
        continue;
      }
      const known = this.use(endpointId, endpointVersion);
      if (known) {
        resolved.set(endpointId, known);
      } else {
        unknown.add(endpointId);
      }
    }
    if (unknown.size > 0) {
      const found = await read([...unknown]);
      found.forEach((settings) => resolved.set(settings.endpointId, this.keep(settings)));
    }
    return resolved;
  }

  private use(endpointId: string, version: string): EndpointSettings | undefined {
    const known = this.#known.get(endpointId);
    if (known?.settings.version !== version || performance.now() - known.readAt > MAX_AGE_MS) {
      return undefined;
    }
    this.#known.delete(endpointId);
    this.#known.set(endpointId, known);
    return known.settings;
  }

  /** If the settings are still the same, or another claim has read them meanwhile, the object stays the same. */
  private keep(read: EndpointSettings): EndpointSettings {
    const known = this.#known.get(read.endpointId);
    if (known && isDeepStrictEqual(known.settings, read)) {
      known.readAt = performance.now();
      return known.settings;
    }
    this.evict(read.endpointId);
    const { length: characters } = JSON.stringify(read);
    const added = { settings: Object.freeze(read), characters, readAt: performance.now() };
    this.#known.set(read.endpointId, added);
    this.#characters += characters;
    while (this.#characters > MAX_CHARACTERS) {
      this.evict(this.#known.keys().next().value!);
    }
    return read;
  }

  private evict(endpointId: string): void {
    this.#characters -= this.#known.get(endpointId)?.characters ?? 0;
    this.#known.delete(endpointId);
  }
}
