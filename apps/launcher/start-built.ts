import { launch } from './launch.ts';
import { startDemo } from './start-demo.ts';

/** `npm run start:prod`: runs what is built. */
await launch(startDemo);
