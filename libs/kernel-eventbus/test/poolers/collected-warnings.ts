import type { LoggerService } from '@nestjs/common';

/** Logger of an app under test: keeps warnings, discards the rest. */
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

  /** Warnings that name the option. */
  get ofPreparedStatements(): string[] {
    return this.warnings.filter((text) => text.includes('preparedStatements: false'));
  }
}
