import { expect, test } from 'vitest';
import { defineAction } from '../../../src/commands/command.ts';
import { readCommandText } from '../../../src/commands/adapters/command-text.ts';
import type { CommandSet } from '../../../src/commands/invocation.ts';
import { findMentionCommand } from '../../../src/commands/adapters/mention-command.ts';
import { commandNames } from '../../fixtures/command-names.ts';

const action = defineAction({
  description: 'session export',
  shownTo: 'private',
  options: {
    session: { type: 'reference', to: 'session', description: 'session name or here' },
    format: { type: 'choice', choices: ['json', 'markdown'], description: 'session format' },
  },
  async *run() {
    yield* [];
  },
});
const table: CommandSet = {
  names: commandNames({ prefix: 'kb-' }),
  commands: [
    { name: 'session', description: 'session', actions: { export: action, stop: action } },
    { name: 'source', description: 'source', actions: { list: action } },
    { name: 'help', description: 'help', action },
  ],
};

test.each([
  ['session stop', 'session', 'stop'],
  ['/session stop', 'session', 'stop'],
  ['kb-session stop', 'session', 'stop'],
  ['/kb-session  export\nformat:json ', 'session', 'export\nformat:json'],
  ['Session Stop', 'session', 'stop'],
  ['/source list', 'source', 'list'],
])('%j is a command', (said, name, text) => {
  const found = findMentionCommand(table, said);
  expect([found?.command.name, found?.text]).toEqual([name, text]);
});

test.each([
  ['session limits?'],
  ['session'],
  ['session stop?'],
  ['sessions stop'],
  ['session stopped working'],
  ['session toString'],
  ['source list'],
  ['/help me'],
  ['/nothing list'],
  ['what is a session stop'],
  [''],
])('%j is a question', (said) => {
  expect(findMentionCommand(table, said)).toBeUndefined();
});

test.each([
  ['export format:json', { format: 'json' }],
  ['export format:"json" abc', { format: 'json', session: 'abc' }],
  ['export --format json', { format: 'json' }],
  ['export formats:json', { session: 'formats:json' }],
  ['export "format:json"', { session: 'format:json' }],
])('%j gives the options their values', (text, values) => {
  const [session] = table.commands;
  expect(session && readCommandText(session, text)).toMatchObject({ name: 'export', values });
});
