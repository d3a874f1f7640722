import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { SecretsModuleOptions } from './secrets.options.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<SecretsModuleOptions>({
  moduleName: 'Secrets',
})
  .setClassMethodName('forRoot')
  .build();
