import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartFailure } from './describe-start-failure.ts';
import { projectRoot } from './project-root.ts';

export type ErpApp = typeof import('../erp/src/main.js');
export type ReceiverApp = typeof import('../receiver/src/main.js');
export type HydrologyApp = typeof import('../hydrology/src/main.js');
export type SignaturesApp = typeof import('../signatures/src/main.js');
export type TenantsApp = typeof import('../tenants/src/main.js');

/** The built apps with the types of their sources. */
export async function loadBuiltApps(): Promise<{ erpApp: ErpApp; receiverApp: ReceiverApp }> {
  return {
    erpApp: (await load('erp')) as ErpApp,
    receiverApp: (await load('receiver')) as ReceiverApp,
  };
}

export async function loadHydrology(): Promise<HydrologyApp> {
  return (await load('hydrology')) as HydrologyApp;
}

export async function loadSignatures(): Promise<SignaturesApp> {
  return (await load('signatures')) as SignaturesApp;
}

export async function loadTenants(): Promise<TenantsApp> {
  return (await load('tenants')) as TenantsApp;
}

function load(name: string): Promise<unknown> {
  const path = join(projectRoot, 'dist/apps', name, 'main.js');
  if (!existsSync(path)) {
    throw new StartFailure(`${path} is missing: run "npm run build" first, or "npm start", which builds too`);
  }
  return import(pathToFileURL(path).href);
}
