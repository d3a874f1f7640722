import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const CHANNELS = ['SMS', 'PUSH', 'VOICE'] as const;
export type Channel = (typeof CHANNELS)[number];

export const RISK_LEVELS = ['LOW', 'MEDIUM', 'HIGH'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export const STATUSES = ['CREATED', 'CHALLENGED', 'COMPLETED', 'ABORTED', 'EXPIRED'] as const;
export type Status = (typeof STATUSES)[number];
export const OPEN_STATUSES = ['CREATED', 'CHALLENGED'] as const satisfies Status[];

/** The state of the aggregate, without the customer's id and the code. */
export const SignatureRequestEntity = defineEntity({
  name: 'SignatureRequest',
  tableName: 'signature_request',
  indexes: [
    {
      name: 'signature_request_open_idx',
      properties: ['expiresAt'],
      where: "status in ('CREATED', 'CHALLENGED')",
    },
  ],
  checks: [
    {
      name: 'signature_request_status_check',
      expression: "status in ('CREATED', 'CHALLENGED', 'COMPLETED', 'ABORTED', 'EXPIRED')",
    },
  ],
  properties: {
    signatureRequestId: p.uuid().primary(),
    tenantId: p.uuid(),
    customerPseudonym: p.text(),
    transactionContextHash: p.text(),
    channel: p.text().$type<Channel>(),
    riskLevel: p.text().$type<RiskLevel>(),
    status: p.text().$type<Status>(),
    codeHash: p.text().nullable(),
    challenges: p.integer(),
    failedAnswers: p.integer(),
    expiresAt: p.datetime().columnType('timestamptz'),
    createdAt: p.datetime().columnType('timestamptz'),
    updatedAt: p.datetime().columnType('timestamptz'),
  },
});
export type SignatureRequestState = InferEntity<typeof SignatureRequestEntity>;
