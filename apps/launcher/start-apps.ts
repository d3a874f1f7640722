import { join } from 'node:path';
import { loadBuiltApps } from './built-apps.ts';
import { chooseDatabases } from './choose-databases.ts';
import type { Ports } from './describe-start-failure.ts';
import { projectRoot } from './project-root.ts';
import type { Stoppable } from './stop-all.ts';
import type { Running } from './welcome.ts';

/** What has started so far, so that whoever has to can stop it, and the ports that were asked for. */
export interface Launch {
  started: Stoppable[];
  ports?: Ports;
}

/** Database, receiver, app, in this order: each is there before the one that needs it. */
export async function startApps(launch: Launch, signal: AbortSignal): Promise<Running> {
  const { erpApp, receiverApp } = await loadBuiltApps();
  const environment = erpApp.readEnvironment(process.env);
  launch.ports = { PORT: environment.port, RECEIVER_PORT: environment.receiverPort };
  const dataFolder = join(projectRoot, '.data');
  const keys = await erpApp.readKeys(environment, dataFolder);

  const databases = await chooseDatabases(launch.started, erpApp, environment, dataFolder);
  signal.throwIfAborted();
  await erpApp.prepareDatabase(databases.ownerUrl);

  signal.throwIfAborted();
  const receiver = environment.role === 'all' ? await startReceiver() : undefined;

  signal.throwIfAborted();
  const receiverUrl = environment.isDemo ? receiver?.url : environment.receiverUrl;
  const consoleFolder = join(projectRoot, 'apps/console/dist');
  const erp = await erpApp.startErp({
    ...{ ...environment, ...keys, ...(await databases.ofApp()) },
    ...{ receiverUrl, consoleFolder },
  });
  launch.started.push({ name: 'the ERP app', stop: () => erp.close() });

  return {
    role: environment.role,
    url: erp.url,
    consoleLink: erp.consoleLink,
    receiverUrl: receiver?.url,
    demoTenantId: environment.isDemo ? erpApp.DEMO_TENANT_ID : undefined,
    adminTokenFile: environment.adminToken ? undefined : join(dataFolder, 'admin-token'),
  };

  async function startReceiver() {
    const secret = environment.isDemo ? erpApp.demoSecret(keys.masterKey) : undefined;
    const databaseUrl = await databases.ofReceiver();
    const started = await receiverApp.startReceiver({ port: environment.receiverPort, databaseUrl, secret });
    launch.started.push({ name: 'the receiver', stop: () => started.close() });
    return started;
  }
}
