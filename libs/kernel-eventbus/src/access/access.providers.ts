import type { Provider } from '@nestjs/common';
import { TenantScope } from './tenant-scope.js';

export const accessProviders: Provider[] = [TenantScope];
