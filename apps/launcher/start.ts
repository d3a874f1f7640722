import { buildAll } from './build-all.ts';
import { launch } from './launch.ts';
import { startDemo } from './start-demo.ts';

/** `npm start`: builds the changed sources, then runs the app. */
await launch(startDemo, buildAll);
