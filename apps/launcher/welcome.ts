export interface Running {
  role: string;
  url: string;
  /** With a one-time code; a worker has none. */
  consoleLink: string | undefined;
  receiverUrl: string | undefined;
  /** Set in demo mode. */
  demoTenantId: string | undefined;
  /** Set if the environment did not give the token. */
  adminTokenFile: string | undefined;
}

/** The text printed after the start. */
export function welcome({ role, url, consoleLink, receiverUrl, demoTenantId, adminTokenFile }: Running): string {
  if (role === 'worker') {
    return `\nThe worker is ready; its health is at ${url}/health/ready\n`;
  }
  const lines = [
    `The ERP app is ready at ${url}`,
    `  console        ${consoleLink}`,
    '                 signs in once, within 10 minutes; after that, sign in with the admin token',
    `  API docs       ${url}/docs`,
    `  admin token    ${adminTokenFile ?? 'as given in EVENTBUS_ADMIN_TOKEN'}`,
    ...(receiverUrl && demoTenantId ? [`  webhooks       ${receiverUrl}/received shows what the receiver got`] : []),
    ...(demoTenantId ? [`  demo tenant    ${demoTenantId}`, '', ...invitation(url, demoTenantId)] : []),
  ];
  return `\n${lines.join('\n')}\n\nCtrl-C stops it; the data stays.\n`;
}

function invitation(url: string, tenantId: string): string[] {
  const invoice = {
    tenantId,
    customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    lines: [{ description: 'Consulting', amountCents: 12000 }],
    region: 'EU',
  };
  return [
    'Create an invoice and watch its event arrive, signed and without the customer:',
    '',
    `  curl -s ${url}/invoices -H 'content-type: application/json' -d '${JSON.stringify(invoice)}'`,
  ];
}
