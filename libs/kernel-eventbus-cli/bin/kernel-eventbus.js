#!/usr/bin/env node
// Committed, not built: npm links a bin only if it is there when npm installs.
import { runCli } from '@kernel/eventbus-cli';

process.exitCode = await runCli(process.argv.slice(2));
