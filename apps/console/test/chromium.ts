import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PROGRAM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const isInstalled = existsSync(PROGRAM);
const isRequired = process.env.CI === 'true';

/** No background traffic: no updates, no sync, no persistent profile. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A `describe` that is skipped, with a message, if Chromium is not installed; with CI=true its tests fail instead. */
export function describeWithChromium(name: string, tests: () => void): void {
  if (isInstalled || isRequired) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`skipped: "${name}" needs ${PROGRAM} (Debian: apt-get install chromium)\n`);
  describe.skip(name, tests);
}

export function launchChromium(): Promise<Browser> {
  if (!isInstalled) {
    throw new Error(`${PROGRAM} is not installed (Debian: apt-get install chromium; or set CHROMIUM_PATH)`);
  }
  return chromium.launch({ executablePath: PROGRAM, args: FLAGS });
}
