import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { InboxOptions } from './inbox.options.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<InboxOptions>({
  moduleName: 'Inbox',
})
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();
