import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { LedgerChainStatus } from './verification/ledger-chain-status.js';
import { LedgerConfig } from './ledger.config.js';
import { ChainHead } from './sealing/chain-head.js';
import { LedgerExporter } from './sealing/ledger-exporter.js';
import { LedgerSealer } from './sealing/ledger-sealer.js';
import { LedgerVerifier } from './verification/ledger-verifier.js';
import { type DerivesKeys, SealKey } from './sealing/seal-key.js';
import { BackgroundVerifier } from './verification/background-verifier.js';
import { ChainWatch } from './verification/chain-watch.js';
import { RequestedVerifier } from './verification/requested-verifier.js';
import { VerificationCheckpoint } from './verification/verification-checkpoint.js';

export interface LedgerModuleOptions extends LedgerConfig {
  /** Derives the key that signs the seals. */
  keys: DerivesKeys;
}

export interface LedgerModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject: FactoryProvider['inject'];
  useFactory: (...args: never[]) => LedgerModuleOptions;
}

const OPTIONS = Symbol('LedgerModuleOptions');

/** Seals, verifies and exports the ledger. Needs `MikroOrmModule` in the application. */
@Module({})
export class LedgerModule {
  static forRootAsync({ imports = [], inject = [], useFactory }: LedgerModuleAsyncOptions): DynamicModule {
    return {
      module: LedgerModule,
      imports,
      providers: [
        { provide: OPTIONS, inject, useFactory },
        { provide: LedgerConfig, useExisting: OPTIONS },
        { provide: SealKey, inject: [OPTIONS], useFactory: ({ keys }: LedgerModuleOptions) => new SealKey(keys) },
        SchedulerRegistry,
        ChainHead,
        ChainWatch,
        { provide: LedgerChainStatus, useExisting: ChainWatch },
        LedgerSealer,
        LedgerVerifier,
        VerificationCheckpoint,
        BackgroundVerifier,
        RequestedVerifier,
        LedgerExporter,
      ],
      exports: [
        SealKey,
        LedgerChainStatus,
        LedgerSealer,
        LedgerVerifier,
        BackgroundVerifier,
        RequestedVerifier,
        LedgerExporter,
      ],
    };
  }
}
