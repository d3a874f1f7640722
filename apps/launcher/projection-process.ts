import { loadTenants, type TenantsApp } from './built-apps.ts';

type ProjectionSettings = Parameters<TenantsApp['startProjection']>[0];

/** The projection in its own process. It gets its settings from its parent, reports its address, and ends with it. */
process.on('SIGINT', () => undefined);
process.once('message', (settings: ProjectionSettings) => {
  void run(settings).catch((error: unknown) => {
    process.stderr.write(`The projection cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
});

async function run(settings: ProjectionSettings): Promise<void> {
  const projection = await (await loadTenants()).startProjection(settings);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= projection.close().then(() => process.exit(0)));
  process.once('SIGTERM', () => void close());
  process.once('disconnect', () => void close());
  process.send!({ url: projection.url });
}
