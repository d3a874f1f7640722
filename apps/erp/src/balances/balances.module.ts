import { Module } from '@nestjs/common';
import { BalanceKeeper } from './balance-keeper.js';

/** Loaded in every process, because workers run its handler. */
@Module({ providers: [BalanceKeeper] })
export class BalancesModule {}
