import { buildAll } from './build-all.ts';
import { launch } from './launch.ts';
import { startDemo } from './start-demo.ts';

/** `npm start`: builds what changed, then runs it. */
await launch(startDemo, buildAll);
