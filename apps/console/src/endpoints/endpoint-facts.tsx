import type { ComponentChild } from 'preact';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { Facts } from '../elements/facts.tsx';
import { FullId } from '../elements/short-id.tsx';
import { Ago, Time } from '../elements/time.tsx';

export function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const { retry, circuit } = endpoint;
  const headers = Object.keys(endpoint.headers);
  return (
    <Facts
      facts={[
        ['Endpoint id', <FullId id={endpoint.endpointId} label="endpoint id" />],
        ['Tenant', <FullId id={endpoint.tenantId} label="tenant id" />],
        ['Reach', endpoint.isExternal ? 'external: payloads are redacted' : 'internal: payloads go out whole'],
        [
          'Order',
          endpoint.ordering === 'stream' ? `per stream, a dead letter ${BLOCKS[endpoint.onDeadLetter]}` : 'any',
        ],
        ['Signature', endpoint.signature === 'v1' ? 'v1, HMAC-SHA256' : 'v1a, ed25519'],
        ['Secret', <code>{endpoint.signingSecretAlias}</code>],
        ['Attempts', retry?.maxAttempts ?? 'as the application'],
        ['Timeout', endpoint.timeoutMs ? `${endpoint.timeoutMs} ms` : 'as the application'],
        ['In flight', endpoint.maxInFlight ?? 'as the application'],
        ...(headers.length > 0 ? [['Headers', headers.join(', ')] as [string, string]] : []),
        ...(circuit?.until
          ? [
              [
                'Circuit',
                <>
                  tried again <Ago at={circuit.until} />
                </>,
              ] as [string, ComponentChild],
            ]
          : []),
        ['Created', <Time at={endpoint.createdAt} />],
      ]}
    />
  );
}

const BLOCKS = { block: 'blocks its lane', skip: 'is skipped' };
