import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli.errors.js';
import { withExamples } from './examples.js';

export function addMigrate(program: Command, cli: Cli): void {
  const migrate = program
    .command('migrate')
    .description("applies the kernel's pending migrations to the database of DATABASE_OWNER_URL, else of DATABASE_URL");
  withExamples(migrate, ['migrate', 'migrate --json']);
  migrate.action(async () => {
    const { DATABASE_OWNER_URL, DATABASE_URL } = cli.terminal.env;
    const databaseUrl = DATABASE_OWNER_URL || DATABASE_URL;
    if (!databaseUrl) {
      throw new UsageError('neither DATABASE_OWNER_URL nor DATABASE_URL is set: name the database');
    }
    // Loaded lazily, because no other command needs an ORM.
    const { migrateDatabase } = await import('../database/migrate-database.js');
    const applied = await migrateDatabase(databaseUrl);
    await cli.print.answer({ applied }, () => printApplied(cli, applied));
  });
}

async function printApplied({ print }: Cli, applied: string[]): Promise<void> {
  await print.text(applied.length > 0 ? `applied:\n${applied.join('\n')}` : 'nothing to do: all are applied');
}
