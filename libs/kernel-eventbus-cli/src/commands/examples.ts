import type { Command } from 'commander';

export function withExamples(command: Command, examples: string[]): Command {
  const lines = examples.map((example) => `  $ npx kernel-eventbus ${example}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
