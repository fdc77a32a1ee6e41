import type { DiscordServer } from '../../src/sandbox/discord/discord-server.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import type { SlackWorkspace } from '../../src/sandbox/slack/slack-workspace.ts';
import { type CommandSeat, type SeenResult, testCommands } from '../contracts/commands.ts';

testCommands('Slack', ({ slack }) => ({
  manager: slackSeat(slack, 'ada'),
  member: slackSeat(slack, 'grace'),
}));

testCommands('Discord', ({ discord }) => ({
  manager: discordSeat(discord, 'ada'),
  member: discordSeat(discord, 'linus'),
}));

function slackSeat(slack: SlackWorkspace, name: string): CommandSeat {
  const user = slack.users().find((each) => each.name === name)?.id ?? '';
  const channel = slack.channels().find((each) => each.name === 'general')?.id ?? '';

  const seen = (): SeenResult[] =>
    [...slack.messages(channel), ...slack.ephemerals(user, channel)].map((message) => ({
      id: message.ts,
      text: plainText(message),
      buttons: buttonsOf(message.blocks).map(({ text }) => text),
    }));

  function buttonsOf(blocks: readonly object[] = []) {
    return blocks.flatMap((block) => {
      if (!('type' in block) || block.type !== 'actions' || !('elements' in block)) return [];
      return (block.elements as { action_id: string; text: { text: string } }[]).map(
        ({ action_id: action, text }) => ({ action, text: text.text }),
      );
    });
  }

  /** What shows something new that matches, once something does. */
  async function shown(act: () => Promise<unknown>, shows: RegExp): Promise<SeenResult> {
    const before = new Set(seen().map((result) => JSON.stringify(result)));
    const find = () =>
      seen().findLast((result) => shows.test(result.text) && !before.has(JSON.stringify(result)));
    await act();
    if (!find()) await slack.waitFor(() => find() !== undefined);
    const found = find();
    if (!found) throw new Error('not shown');
    return found;
  }

  async function sendForm(act: () => Promise<unknown>, files: { name: string; bytes: Buffer }[]) {
    await act();
    if (slack.modals(user).length === 0) {
      await slack.waitFor((change) => change.kind === 'modal' && change.views.length > 0);
    }
    const view = slack.modals(user)[0]?.id ?? '';
    await slack.submit({ user, view, files: { file: files } });
  }

  return {
    async use(words, values, shows) {
      const [command = '', ...rest] = words.split(' ');
      const options = Object.entries(values).map(([key, value]) => `--${key} "${value}"`);
      const text = [...rest, ...options].join(' ');
      return shown(() => slack.command({ user, channel, command: `/${command}`, text }), shows);
    },
    async upload(words, files, shows) {
      const [command = '', ...rest] = words.split(' ');
      const text = rest.join(' ');
      return shown(
        () => sendForm(() => slack.command({ user, channel, command: `/${command}`, text }), files),
        shows,
      );
    },
    async press(result, label, shows) {
      const message = [...slack.messages(channel), ...slack.ephemerals(user, channel)].find(
        ({ ts }) => ts === result.id,
      );
      const actionId = buttonsOf(message?.blocks).find(({ text }) => text === label)?.action ?? '';
      return shown(() => slack.press({ user, channel, ts: result.id, actionId }), shows);
    },
    async file(name) {
      const sent = () => files().includes(name);
      if (!sent()) await slack.waitFor(sent);
    },
  };

  function files(): string[] {
    const direct = slack.direct(user).id;
    const roots = slack.messages(direct);
    const all = roots.flatMap(({ ts }) => [...slack.messages(direct, ts), ...roots]);
    return all.flatMap((message) => (message.files ?? []).map((file) => file.name));
  }
}

function discordSeat(discord: DiscordServer, user: string): CommandSeat {
  const channel = discord.channels().find((each) => each.name === 'general')?.id ?? '';

  const seen = (): SeenResult[] =>
    discord.messages(channel).map(({ id, content, components }) => ({
      id,
      text: content,
      buttons: buttonsOf(components).map(({ label }) => label),
    }));

  function buttonsOf(rows: readonly object[] = []) {
    return rows.flatMap((row) =>
      'components' in row ? (row.components as { label: string; custom_id: string }[]) : [],
    );
  }

  async function shown(act: () => Promise<unknown>, shows: RegExp): Promise<SeenResult> {
    const before = new Set(seen().map((result) => JSON.stringify(result)));
    const find = () =>
      seen().findLast((result) => shows.test(result.text) && !before.has(JSON.stringify(result)));
    await act();
    if (!find()) await discord.changes.waitFor(() => find() !== undefined);
    const found = find();
    if (!found) throw new Error('not shown');
    return found;
  }

  const types: Record<string, (value: string) => string | number | boolean> = {
    messages: Number,
    citations: (value) => value === 'true',
  };

  function options(
    words: string,
    given: {
      name: string;
      value?: string | number | boolean;
      file?: { name: string; bytes: Buffer };
    }[],
  ) {
    const [name = '', action] = words.split(' ');
    return { name, options: action === undefined ? given : [{ name: action, options: given }] };
  }

  return {
    use: (words, values, shows) =>
      shown(() => {
        const given = Object.entries(values).map(([name, value]) => ({
          name,
          value: types[name]?.(value) ?? value,
        }));
        return discord.command({ user, channel, ...options(words, given) });
      }, shows),
    upload: (words, files, shows) =>
      shown(() => {
        const given = files.map((file, index) => ({
          name: index === 0 ? 'file' : `file${index + 1}`,
          file,
        }));
        return discord.command({ user, channel, ...options(words, given) });
      }, shows),
    press(result, label, shows) {
      const message = discord.messages(channel).find(({ id }) => id === result.id);
      const customId =
        buttonsOf(message?.components).find((each) => each.label === label)?.custom_id ?? '';
      return shown(async () => discord.press({ user, message: result.id, customId }), shows);
    },
    async file(name) {
      const sent = () =>
        discord
          .messages(channel)
          .some(({ attachments }) => attachments.some(({ filename }) => filename === name));
      if (!sent()) await discord.changes.waitFor(sent);
    },
  };
}
