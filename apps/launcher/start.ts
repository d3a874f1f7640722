import { buildAll } from './build-all.ts';
import { launch } from './launch.ts';

/** `npm start`: builds what changed, then runs it. */
await launch(buildAll);
