import type { LoggerService } from '@nestjs/common';

/** The log of an app under test: what it warns of is kept, the rest goes nowhere. */
export class CollectedWarnings implements LoggerService {
  readonly warnings: string[] = [];
  readonly errors: unknown[] = [];

  warn(message: unknown): void {
    this.warnings.push(typeof message === 'string' ? message : JSON.stringify(message));
  }

  error(message: unknown): void {
    this.errors.push(message);
  }

  log(): void {}

  /** Those that name the option. */
  get ofPreparedStatements(): string[] {
    return this.warnings.filter((text) => text.includes('preparedStatements: false'));
  }
}
