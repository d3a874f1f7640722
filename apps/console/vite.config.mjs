/** @type {import('vite').UserConfig} */
export default {
  root: import.meta.dirname,
  base: '/console/',
  logLevel: 'warn',
  build: {
    target: 'es2023',
    // A data: address would be a font that the content security policy refuses.
    assetsInlineLimit: 0,
    // Its polyfill is a script within the page.
    modulePreload: { polyfill: false },
  },
  // `npx vite apps/console` while one works on it: the routes are those of an app that runs beside it.
  server: { proxy: { '/admin': 'http://127.0.0.1:3000' } },
};
