import { Module } from '@nestjs/common';
import { BalanceKeeper } from './balance-keeper.js';

/** In every process, because workers run its handler. */
@Module({ providers: [BalanceKeeper] })
export class BalancesModule {}
