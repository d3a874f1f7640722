import { launch } from './launch.ts';

/** `npm run start:prod`: runs what is built. */
await launch();
