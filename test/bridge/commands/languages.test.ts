import { webApi } from '@slack/bolt';
import { DiscordAPIError } from 'discord.js';
import { expect, test } from 'vitest';
import type { Action } from '../../../src/bridge/commands/command.ts';
import type { Option } from '../../../src/bridge/commands/option.ts';
import {
  choiceLabel,
  describeOption,
  labelOf,
  titleOf,
} from '../../../src/bridge/commands/adapters/modal-values.ts';
import { explainError } from '../../../src/bridge/conversation/errors.ts';
import { english, textsFor } from '../../../src/bridge/texts/texts.ts';
import { type Problem, renderProblem } from '../../../src/shared/problems/problem.ts';
import { createPermissions } from '../../../src/bridge/discord/permissions.ts';
import { toPlatformError as fromDiscord } from '../../../src/bridge/discord/errors.ts';
import { toPlatformError as fromSlack } from '../../../src/bridge/slack/errors.ts';
import { openCommands } from './open-commands.ts';

const german = textsFor('de-AT');

/** Words that English sentences have and German ones have not. */
const anyEnglish = /\b(?:the|this|that|is|not|please|you|your|me|my|and|of|to|with|no|it|here)\b/i;

/** Names of settings on the platforms' pages stay as they stand there. */
function withoutNames(text: string): string {
  return text.replaceAll(/„[^“]*“|\([^)]*\)|https:\S+|`[^`]*`/g, '');
}

/** Forms ask for what was not typed, show current values, or take what a message has. */
function hasForm({ options, initialValues, shortcut }: Action): boolean {
  const isAskedFor = ({ required, type }: Option) => required === true || type === 'file';
  return Boolean(initialValues ?? shortcut) || Object.values(options).some(isAskedFor);
}

test('every description of a command and every label of a field has a German one', async () => {
  await using commands = await openCommands();
  const actions = commands.runner.commands.flatMap((command): Action[] =>
    'action' in command ? [command.action] : Object.values(command.actions),
  );
  const descriptions = [
    ...commands.runner.commands.map(({ description }) => description),
    ...actions.map(({ description }) => description),
  ];
  for (const description of descriptions) {
    expect(german.descriptions[description]).not.toBe(english.descriptions[description]);
  }
  for (const action of actions.filter(hasForm)) {
    // Slack's limit.
    for (const texts of [english, german]) expect(titleOf(action, texts).length).toBeLessThan(25);
    expect(Object.keys(german.labels)).toEqual(expect.arrayContaining(Object.keys(action.options)));
  }
  for (const option of actions.flatMap(({ options }) => Object.values(options))) {
    expect(withoutNames(describeOption(option, german))).not.toMatch(anyEnglish);
    expect(describeOption(option, english, { maxLength: 100 }).length).toBeLessThanOrEqual(100);
    expect(describeOption(option, german, { maxLength: 100 }).length).toBeLessThanOrEqual(100);
    if (option.type !== 'choice') continue;
    for (const choice of option.choices) expect(Object.keys(german.choices)).toContain(choice);
  }
});

test('limits follow an option’s description if there is room', () => {
  const { page } = english.descriptions;
  const option = { type: 'number', min: 1, max: 360, description: 'page' } as const;
  expect(describeOption(option, english)).toBe(`${page} (1 to 360)`);
  expect(describeOption(option, german)).toBe(`${german.descriptions.page} (1 bis 360)`);
  expect(describeOption(option, english, { maxLength: page.length })).toBe(page);
  const file = { type: 'file', description: 'source file' } as const;
  const maxFileBytes = 25 * 1024 * 1024;
  expect(describeOption(file, german, { maxFileBytes })).toBe(
    `${german.descriptions['source file']} (bis 25 MB pro Datei)`,
  );
  expect(labelOf('all-sources', english)).toBe('All sources');
  expect(labelOf('toString', english)).toBe('ToString');
  expect(choiceLabel('yes', german)).toBe('ja');
});

const slackCodes =
  'message_not_found thread_not_found channel_not_found user_not_found file_not_found file_deleted cant_update_message cant_delete_message edit_window_closed is_archived streaming_state_conflict stopped_by_user message_not_in_streaming_state not_in_channel invalid_auth no_permission messages_tab_disabled cannot_dm_bot user_disabled msg_too_long ratelimited missing_scope never_heard_of'.split(
    ' ',
  );

test.each(slackCodes)('a German reader understands why Slack refused: %s', (code) => {
  const error = new webApi.WebAPIPlatformError({ ok: false, error: code });
  const said = explainError(fromSlack(error), german);
  expect(withoutNames(said)).not.toMatch(anyEnglish);
});

const discordCodes = [
  10003, 10008, 10013, 10062, 30046, 40005, 40333, 50005, 50007, 50013, 50083, 50278, 160002,
  160005, 200000, 240000,
];

test.each(discordCodes)('a German reader understands why Discord refused: %s', (code) => {
  const error = new DiscordAPIError({ code, message: 'No' }, code, 403, 'POST', '/x', {});
  const said = explainError(fromDiscord(error), german);
  expect(withoutNames(said)).not.toMatch(anyEnglish);
});

/** Each problem of the service takes some of these. */
const params = {
  address: 'https://a.test/b',
  host: 'a.test',
  status: 503,
  port: '25',
  encodings: 'zstd',
  characters: 3,
  bytes: 3,
  seconds: 3,
  megabytes: 3,
  chapters: 3,
  slides: 3,
  pages: 3,
  page: 3,
  used: 999.5,
  left: 12.5,
  text: 36,
  max: 1000,
  count: 3,
  tables: ['Adobe'],
  model: 'small',
  reason: '(x)',
};

const codes = Object.keys(english.problems);

const reasons = codes
  .slice(codes.indexOf('document_empty'), codes.indexOf('model_broke_off') + 1)
  .flatMap((code) => {
    const kinds = ['archive', 'split_archive', 'compressed', 'old_office', 'image', 'sound'];
    const others = ['video', 'program', 'database', 'binary', 'sitemap'];
    if (code === 'document_kind_refused')
      return [...kinds, ...others].map((kind) => ({ code, kind }));
    if (code !== 'archive_too_large') return [{ code }];
    return ['entries', 'bytes', 'times'].map((unit) => ({ code, unit }));
  });

test.each(reasons)('a German reader understands why a source or an answer failed: %j', (reason) => {
  const { code, ...own } = reason;
  const problem = { code, params: { ...params, ...own } } as unknown as Problem;
  const said = renderProblem(problem, german);
  expect(withoutNames(said)).not.toMatch(anyEnglish);
  expect(`${said} ${renderProblem(problem)}`).not.toMatch(/undefined|NaN|\[object/);
});

test('a German reader understands which permission is missing', () => {
  const permissions = createPermissions({ channel: () => undefined });
  const said = renderProblem(permissions.lacking('1'), german);
  expect(withoutNames(said)).not.toMatch(anyEnglish);
});
