import { describe, expect, it } from 'vitest';
import { type Command, type CommandGroup, readCommandLine } from '../../src/cli/command-line.ts';
import { commands as ownCommands } from '../../src/cli/command-list.ts';

const run = async () => {};
const port = { summary: 'where to listen', value: 'number', variable: 'PORT' } as const;
const drop = { summary: 'Drop one.', argument: '<path>', options: {}, run };
const json = { summary: 'print JSON' };
const commands: Record<string, Command | CommandGroup> = {
  start: { summary: 'Run it.', options: { port }, run },
  check: { summary: 'Check it.', argument: '[name]', options: { json }, run },
  files: { summary: 'See to files.', actions: { drop } },
};

const read = (...argv: string[]) =>
  readCommandLine(argv, { commands, env: { HOST: 'h', PORT: '1' }, version: '1.2.3' });

describe('a command line', () => {
  it('without a command runs start', () => {
    const input = { env: { HOST: 'h', PORT: '1' }, argument: undefined, options: {} };
    expect(read()).toMatchObject({ kind: 'run', command: commands['start'], input });
  });

  it.each([[['--port', '4000']], [['start', '--port=4000']]])(
    'sets variables with the options in %j',
    (argv) => {
      expect(read(...argv)).toMatchObject({ input: { env: { HOST: 'h', PORT: '4000' } } });
    },
  );

  it('gives a command its argument and options', () => {
    const input = { argument: 'all', options: { json: true } };
    expect(read('check', 'all', '--json')).toMatchObject({ command: commands['check'], input });
  });

  it('reads a command of a group', () => {
    const input = { argument: 'here', options: {} };
    expect(read('files', 'drop', 'here')).toMatchObject({ kind: 'run', command: drop, input });
  });

  it.each([
    [['strat'], 'There is no command “strat”. Did you mean start?'],
    [['nothing'], 'There is no command “nothing”.\n'],
    [['constructor'], 'There is no command “constructor”.\n'],
    [['files', '__proto__'], 'There is no command “__proto__”.\n'],
    [['start', 'now'], '“now” is not expected here.'],
    [['check', 'one', 'two'], '“two” is not expected here.'],
    [['files'], 'files needs an action.'],
    [['files', 'drip'], 'There is no command “drip”. Did you mean drop?'],
    [['files', 'drop'], '<path> is missing.'],
    [['files', 'drop', ''], '<path> is missing.'],
    [['check', '--port', '1'], "Unknown option '--port'"],
    [['--port'], 'argument missing'],
  ])('explains what is wrong with %j', (argv, problem) => {
    expect(read(...argv)).toEqual({
      kind: 'print',
      exitCode: 2,
      text: expect.stringMatching(
        new RegExp(`${RegExp.escape(problem)}.*Usage: npm start --`, 's'),
      ),
    });
  });

  it.each([[['--help']], [['-h']], [['help']]])('lists the commands for %j', (argv) => {
    const text = expect.stringMatching(/^ {2}start {2}Run it\.$.*^ {2}check {2}Check it\.$/ms);
    expect(read(...argv)).toEqual({ kind: 'print', exitCode: 0, text });
  });

  it('describes a command’s options', () => {
    const text = expect.stringMatching(
      /^Usage: npm start -- check \[name\].*--json {2,}print JSON$/ms,
    );
    expect(read('check', '--help')).toEqual({ kind: 'print', exitCode: 0, text });
  });

  it('lists the commands of a group and describes each', () => {
    const group = expect.stringMatching(
      /^Usage: npm start -- files \[command\].*^ {2}drop {2}Drop one\.$/ms,
    );
    expect(read('files', '--help')).toEqual({ kind: 'print', exitCode: 0, text: group });
    const usage = expect.stringMatching(/^Usage: npm start -- files drop <path> \[options\]$/m);
    expect(read('files', 'drop', '--help')).toEqual({ kind: 'print', exitCode: 0, text: usage });
  });

  it('prints the version', () => {
    expect(read('check', '--version')).toEqual({ kind: 'print', exitCode: 0, text: '1.2.3\n' });
  });

  it.each(Object.keys(ownCommands))('helps with npm start -- %s', (name) => {
    const request = readCommandLine([name, '--help'], {
      commands: ownCommands,
      env: {},
      version: '',
    });
    expect(request).toMatchObject({ kind: 'print', exitCode: 0 });
  });
});
