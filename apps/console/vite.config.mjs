import { resolve } from 'node:path';

/** @type {import('vite').UserConfigFnObject} */
export default ({ command }) => ({
  root: import.meta.dirname,
  // Relative, because the host chooses the path: @kernel/eventbus-console makes the URLs of the index page absolute.
  base: command === 'build' ? './' : '/console/',
  logLevel: 'warn',
  build: {
    outDir: resolve(import.meta.dirname, '../../libs/kernel-eventbus-console/dist/pages'),
    emptyOutDir: true,
    target: 'es2023',
    // A data: address would be a font that the content security policy refuses.
    assetsInlineLimit: 0,
    // Its polyfill is a script within the page.
    modulePreload: { polyfill: false },
  },
  // `npx vite apps/console` while one works on it: the routes are those of an app that runs beside it.
  server: { proxy: { '/admin': 'http://127.0.0.1:3000' } },
});
