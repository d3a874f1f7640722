import { Resolver } from 'node:dns';
import { z } from 'zod';

export interface DnsOptions {
  /** DNS servers, addresses with or without a port: `10.0.0.2`, `127.0.0.1:5353`. Default: the system's servers. */
  servers?: readonly string[] | undefined;
  /** Timeout of a lookup, after which its name is not looked up again for 10 s. Default: 5000. */
  timeoutMs?: number | undefined;
}

export const DEFAULT_DNS_TIMEOUT_MS = 5_000;

export const DnsOptionsSchema = z
  .strictObject({
    servers: z
      .array(z.string().refine(isServer, 'must be an address with or without a port, like 10.0.0.2 or 127.0.0.1:5353'))
      .min(1, 'name at least one server, or leave it out')
      .optional(),
    timeoutMs: z.number().int().positive().max(60_000).default(DEFAULT_DNS_TIMEOUT_MS),
  })
  .prefault({});

function isServer(text: string): boolean {
  try {
    new Resolver().setServers([text]);
    return true;
  } catch {
    return false;
  }
}
