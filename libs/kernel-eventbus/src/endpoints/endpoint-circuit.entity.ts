import { defineEntity, p } from '@mikro-orm/core';

/** An open circuit: nothing is sent to the endpoint but a probe from time to time. A closed one has no row. */
export const EndpointCircuitEntity = defineEntity({
  name: 'EndpointCircuit',
  tableName: 'kernel_endpoint_circuit',
  properties: {
    endpointId: p.uuid().primary(),
    tenantId: p.uuid(),
    openedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    probeAt: p.datetime().columnType('timestamptz'),
    probes: p.integer().default(0),
  },
});
