import { describe, expect, onTestFinished, test } from 'vitest';
import type { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { buttonsOf as discordButtons } from '../../e2e/discord-seen.ts';
import { buttonsOf as slackButtons } from '../../e2e/slack-seen.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { openServer } from '../discord/open-server.ts';
import { startSlack } from '../slack/start-slack.ts';
import { type OpenCommands, openCommands } from './open-commands.ts';

/** What Ada does in #general; each act resolves once the platform has been told that it arrived. */
interface Place {
  /** What a row tells of her and the place, where only the interaction was read. */
  given: object;
  command(words: string, values?: Record<string, string>): Promise<unknown>;
  /** Opens the form of a command. The act sends it. */
  openForm(words: string, values?: Record<string, string>): Promise<Submit>;
  press(label: string): Promise<unknown>;
  /** Resolves once Ada sees this. */
  shown(text: RegExp): Promise<unknown>;
}

type Submit = (values: Record<string, string>) => Promise<unknown>;

async function onSlack(commands: OpenCommands, slack: SlackWorkspace): Promise<Place> {
  const ada = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  slack.install(JSON.parse(renderManifest(commands.runner, { mode: 'socket' })));
  const started = await startSlack(slack, 'socket', { commands: commands.runner });
  onTestFinished(() => started[Symbol.asyncDispose]());
  const seen = () => slack.ephemerals(ada, channel);
  const command = (words: string, values: Record<string, string> = {}) => {
    const typed = Object.entries(values).map(([name, value]) => `--${name} ${value}`);
    const text = [words, ...typed].join(' ');
    return slack.command({ user: ada, channel, command: '/causeway', text });
  };
  return {
    given: {
      platform: 'slack',
      workspace: slack.team.id,
      channel,
      requester: { id: ada, name: 'ada' },
      locale: 'en-US',
    },
    command,
    async openForm(words, values) {
      const opened = slack.waitFor(({ kind }) => kind === 'modal');
      await command(words, values);
      await opened;
      const view = slack.modals(ada)[0]?.id ?? '';
      return (filled) => slack.submit({ user: ada, view, values: filled });
    },
    press(label) {
      const message = seen().findLast((each) =>
        slackButtons(each).some(({ text }) => text === label),
      );
      const button = slackButtons(message).find(({ text }) => text === label);
      const actionId = button?.action ?? '';
      return slack.press({ user: ada, channel, ts: message?.ts ?? '', actionId });
    },
    async shown(text) {
      const isShown = () => seen().some((message) => text.test(plainText(message)));
      if (!isShown()) await slack.waitFor(isShown);
    },
  };
}

async function onDiscord(
  commands: OpenCommands,
  { discord, connect, channel: idOf }: Awaited<ReturnType<typeof openServer>>,
): Promise<Place> {
  const ada = discord.users().find(({ username }) => username === 'ada');
  const channel = idOf('general');
  await connect({ commands: commands.runner });
  const give = (words: string, values: Record<string, string> = {}) => {
    const [name = '', action] = words.split(' ');
    const given = Object.entries(values).map(([option, value]) => ({ name: option, value }));
    const options = action === undefined ? given : [{ name: action, options: given }];
    return discord.command({ user: 'ada', channel: '#general', name, options });
  };
  return {
    given: {
      platform: 'discord',
      workspace: discord.guildId,
      channel,
      requester: { id: ada?.id, name: ada?.displayName },
      locale: 'en-US',
    },
    command: async (words, values) => (await give(words, values)).acknowledgement,
    async openForm(words, values) {
      const { id, acknowledgement } = await give(words, values);
      expect(await acknowledgement).toMatchObject({ kind: 'modal' });
      return async (filled) =>
        (await discord.submit({ user: 'ada', modal: id, values: filled })).acknowledgement;
    },
    press(label) {
      const pressable = discord
        .messages(channel)
        .flatMap((message) => discordButtons(message).map((each) => ({ ...each, message })));
      const button = pressable.findLast((each) => each.label === label);
      const { custom_id: customId = '', message } = button ?? {};
      return discord.press({ user: 'ada', message: message?.id ?? '', customId }).acknowledgement;
    },
    async shown(text) {
      const isShown = () => discord.messages(channel).some(({ content }) => text.test(content));
      if (!isShown()) await discord.changes.waitFor(isShown);
    },
  };
}

const platforms = {
  async Slack(options: Parameters<typeof openCommands>[0]): Promise<Place> {
    const served = await serveWorkspace();
    onTestFinished(() => served[Symbol.asyncDispose]());
    const workspaces = [served.slack.team.id];
    const commands = await openCommands({ ...options, workspaces, managers: [served.ada] });
    onTestFinished(() => commands[Symbol.asyncDispose]());
    return onSlack(commands, served.slack);
  },
  async Discord(options: Parameters<typeof openCommands>[0]): Promise<Place> {
    const server = await openServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    const ada = server.discord.users().find(({ username }) => username === 'ada')?.id ?? '';
    const workspaces = [server.discord.guildId];
    const commands = await openCommands({ ...options, workspaces, managers: [ada] });
    onTestFinished(() => commands[Symbol.asyncDispose]());
    return onDiscord(commands, server);
  },
};

/** A store whose insertions wait while the gate is closed. */
function createGate() {
  const inserted: InboxRow[] = [];
  const written: string[] = [];
  let opened = Promise.withResolvers<void>();
  let arrived = Promise.withResolvers<InboxRow>();
  opened.resolve();
  const inboxOf: NonNullable<Parameters<typeof openCommands>[0]>['inboxOf'] = (inbox) => ({
    ...inbox,
    async update(id, change, from) {
      const row = await inbox.update(id, change, from);
      written.push(JSON.stringify([change, row]));
      return row;
    },
    async insert(row) {
      written.push(JSON.stringify(row));
      inserted.push(structuredClone(row));
      arrived.resolve(row);
      await opened.promise;
      return inbox.insert(row);
    },
  });
  return {
    inboxOf,
    close() {
      opened = Promise.withResolvers();
      arrived = Promise.withResolvers();
    },
    open: () => opened.resolve(),
    /** What was to be inserted since the gate was closed. */
    next: () => arrived.promise,
    inserted,
    /** All that was written, as JSON. */
    written,
  };
}

const tag = { name: 'Press', color: '#ff0000' };

describe.each(['Slack', 'Discord'] as const)('on %s', (name) => {
  /** What the row of an act says, which stands before the platform hears that the act arrived. */
  async function storedFirst(
    gate: ReturnType<typeof createGate>,
    { command }: Place,
    act: () => Promise<unknown>,
  ) {
    gate.close();
    let isAcknowledged = false;
    const acknowledged = act().then((answer) => {
      isAcknowledged = true;
      return answer;
    });
    const { kind, state, event } = await gate.next();
    // An earlier acknowledgement would arrive before this one.
    await command('help');
    expect({ kind, state, isAcknowledged }).toEqual({
      kind: 'command',
      state: 'command',
      isAcknowledged: false,
    });
    gate.open();
    expect(await acknowledged).not.toMatchObject({ kind: 'failed' });
    return event;
  }

  test('what changes something is stored, without secrets, before it is acknowledged', async () => {
    const gate = createGate();
    const place = await platforms[name]({ inboxOf: gate.inboxOf });
    const { given } = place;
    await place.command('tag list');
    await place.shown(/no tags/i);

    const typed = await storedFirst(gate, place, () => place.command('tag create', tag));
    expect(typed).toEqual({ command: 'tag', action: 'create', ...given });
    await place.shown(/✅.*Press/);

    const submit = await place.openForm('tag update', { tag: 'Press' });
    const sent = await storedFirst(gate, place, () => submit({ name: 'Public' }));
    expect(sent).toEqual({ command: 'tag', action: 'update', ...given });
    await place.shown(/Public/);

    await place.command('tag delete', { tag: 'Public' });
    await place.shown(/Delete.*Public/);
    const pressed = await storedFirst(gate, place, () => place.press('Delete'));
    expect(pressed).toEqual({ command: 'tag', action: 'delete', ...given });
    await place.shown(/🗑️/);
    expect(gate.written.join('\n')).not.toMatch(/https?:|token|trigger|webhook/i);
    // What lists or explains has no row, nor has a form until it is sent. The deletion is confirmed.
    const actions = gate.inserted.map(({ event }) => Object(event).action);
    expect(actions).toEqual(['create', 'update', 'delete', 'delete']);
  });

  test('a store that never answers delays a command, but does not prevent it', async () => {
    const gate = createGate();
    const waits: number[] = [];
    const storing = async (ms: number) => void waits.push(ms);
    gate.close();
    const place = await platforms[name]({ inboxOf: gate.inboxOf, storing });
    expect(await place.command('tag create', tag)).not.toMatchObject({ kind: 'failed' });
    await place.shown(/✅.*Press/);
    expect(waits).toEqual([1_000]);
  });
});
