import { parseCommand } from './parse-command.js';

describe('parseCommand', () => {
  it('runs the pipeline on the gauges that ship with it unless told otherwise', () => {
    expect(parseCommand([])).toEqual(parseCommand(['run']));
    expect(parseCommand(['run'])).toMatchObject({
      version: 'v1.0.0',
      inputFile: expect.stringMatching(/gauges\.csv$/),
    });
    expect(parseCommand(['run', '--input', 'x.csv', '--dataset-version', 'v2.0.1'])).toEqual({
      name: 'run',
      inputFile: 'x.csv',
      version: 'v2.0.1',
    });
    expect(parseCommand(['catalogue'])).toEqual({ name: 'catalogue' });
  });

  it.each([
    [['fly'], 'there is no command "fly"'],
    [['run', 'fast'], 'run takes no "fast"'],
    [['run', '--colour', 'red'], "Unknown option '--colour'"],
    [['run', '--dataset-version', '../v1'], 'it may be a version like v1.0.0'],
  ])('refuses %j and tells what there is', (args, problem) => {
    expect(() => parseCommand(args)).toThrow(problem);
    expect(() => parseCommand(args)).toThrow('npm run start:hydrology -- <command>');
  });
});
