/** Options of EventBusConsoleModule, which writes them on the `<html>` element. */
const { path = '/console', adminPath = '/admin/eventbus', defaultTheme } = document.documentElement.dataset;

export const pageSettings = { path, adminPath, defaultTheme };
