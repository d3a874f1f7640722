import { join } from 'node:path';
import { loadBuiltApps } from './built-apps.ts';
import { chooseDatabases } from './choose-databases.ts';
import type { Ports } from './describe-start-failure.ts';
import { projectRoot } from './project-root.ts';
import type { Stoppable } from './stop-all.ts';
import type { Running } from './welcome.ts';

/** The parts started so far, to be stopped, and the requested ports. */
export interface Launch {
  started: Stoppable[];
  ports?: Ports;
}

/** Database, receiver, app, in the order of their dependencies. */
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
  const receiverUrl = environment.isDemo && receiver ? erpApp.reachableOrigin(receiver.url) : environment.receiverUrl;
  const erp = await erpApp.startErp({ ...environment, ...keys, ...(await databases.ofApp()), receiverUrl });
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
    const { host } = environment;
    const databaseUrl = await databases.ofReceiver();
    const started = await receiverApp.startReceiver({ host, port: environment.receiverPort, databaseUrl, secret });
    launch.started.push({ name: 'the receiver', stop: () => started.close() });
    return started;
  }
}
