import { launch } from './launch.ts';
import { startDemo } from './start-demo.ts';

/** `npm run start:prod`: runs the existing build. */
await launch(startDemo);
