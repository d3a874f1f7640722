import type { Start } from './launch.ts';
import { startApps } from './start-apps.ts';
import { welcome } from './welcome.ts';

/** The ERP and its receiver. */
export const startDemo: Start = async (launch, signal) => ({ text: welcome(await startApps(launch, signal)) });
