import { expect, test } from 'vitest';
import { defineAction } from '../../../../src/bridge/commands/command.ts';
import { ask } from '../../../../src/bridge/commands/ask.ts';
import { readCommandText } from '../../../../src/bridge/commands/adapters/command-text.ts';
import type { CommandSet } from '../../../../src/bridge/commands/invocation.ts';
import { readMention } from '../../../../src/bridge/commands/adapters/mention-command.ts';
import { commandNames } from '../../../fixtures/command-names.ts';

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
    ask,
  ],
};

test.each([
  ['session stop', 'session', 'stop'],
  ['/session stop', 'session', 'stop'],
  ['kb-session stop', 'session', 'stop'],
  ['/kb-session  export\nformat:json ', 'session', 'export\nformat:json'],
  ['Session Stop', 'session', 'stop'],
  ['/source list', 'source', 'list'],
  ['source list', 'source', 'list'],
  ['Source List handbook', 'source', 'list handbook'],
  ['/causeway source list', 'source', 'list'],
  ['causeway source list', 'source', 'list'],
  ['/source', 'source', ''],
  ['/source nothing', 'source', 'nothing'],
  ['/help', 'help', ''],
  ['/help source', 'help', 'source'],
  ['help source', 'help', 'source'],
])('%j is a command', (said, name, text) => {
  const read = readMention(table, said);
  expect(read).toMatchObject({ kind: 'command', found: { command: { name }, text } });
});

test.each([
  ['ask When is lunch?', 'When is lunch?'],
  ['/ask When is lunch?', 'When is lunch?'],
  ['/causeway ask When is lunch?', 'When is lunch?'],
  ['/kb-ask session stop', 'session stop'],
])('%j asks what follows', (said, text) => {
  expect(readMention(table, said)).toEqual({ kind: 'question', text });
});

test.each([
  ['session limits?'],
  ['session'],
  ['session stop?'],
  ['sessions stop'],
  ['session stopped working'],
  ['session toString'],
  ['source'],
  ['source list?'],
  ['source list of the vendors, where is it?'],
  ['help'],
  ['help me with my source'],
  ['help source?'],
  ['ask'],
  ['/nothing list'],
  ['what is a session stop'],
  [''],
])('%j is a question', (said) => {
  expect(readMention(table, said)).toBeUndefined();
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
