import { spawn } from 'node:child_process';
import type { OsCommand } from './unprivileged-user.ts';

/**
 * Runs a command to completion, detached from the terminal's Ctrl-C, which goes to the whole process group: starting or
 * stopping a database must not be interrupted.
 */
export function runDetached({ file, args, options }: OsCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...options,
      cwd: '/',
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.once('error', reject);
    // Not 'close': a started server inherits the command's open streams and keeps them open.
    child.once('exit', (code) => {
      child.stderr.destroy();
      if (code === 0) {
        resolve();
      } else {
        reject(new Error(`${file} ended with ${code}: ${complaint.trim()}`));
      }
    });
  });
}
