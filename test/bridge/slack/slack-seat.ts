import type { EphemeralMessage, SlackMessage } from '../../../src/sandbox/slack/model.ts';
import type { AdapterOptions, Place, Seat, Seen, Use } from '../../contracts/adapter/seat.ts';
import { buttonsOf, toResult } from '../../e2e/slack-seen.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { type Mode, startSlack } from './start-slack.ts';

/** Slack's adapter for the contract of the adapters. */
export async function openSlackSeat(mode: Mode, options: AdapterOptions = {}): Promise<Seat> {
  await using parts = new AsyncDisposableStack();
  const { slack, random, ...served } = parts.use(await serveWorkspace());
  const { core, platform } = parts.use(await startSlack(slack, mode, options));
  const owned = parts.move();
  const idOf = (name: string) => slack.users().find((user) => user.name === name)?.id ?? '';
  const support = slack.userGroups().find(({ handle }) => handle === 'support')?.id ?? '';

  function standing(user: string, { channel, thread }: Place): (SlackMessage | EphemeralMessage)[] {
    const messages = slack.messages(channel, thread).filter((message) => message.bot_id);
    const own = slack.ephemerals(user, channel).filter(({ thread_ts }) => thread_ts === thread);
    return [...messages, ...own];
  }

  function toSeen(channel: string, message: SlackMessage | EphemeralMessage): Seen {
    const own = 'files' in message ? (message.files ?? []) : [];
    const isRoot = (message.thread_ts ?? message.ts) === message.ts;
    const replies = isRoot ? slack.messages(channel, message.ts).slice(1) : [];
    const files = [...own, ...replies.flatMap((reply) => reply.files ?? [])];
    return { ...toResult(message), files: files.map(({ name }) => name) };
  }

  const seat: Seat = {
    platform,
    core,
    faults: slack.faults,
    post: 'chat.postMessage',
    workspace: slack.team.id,
    channel: (name) => served[name],
    closed: random,
    openPrivate() {
      const members = [idOf('ada'), slack.bot.user];
      return slack.openChannel({ kind: 'group', name: 'secret', members }).id;
    },
    direct: (person) => slack.direct(idOf(person)).id,
    mention: `<@${slack.bot.user}>`,
    person: (person) => ({
      id: idOf(person),
      name: slack.users().find(({ name }) => name === person)?.realName ?? '',
    }),
    linkTo: (channel, id) => `/archives/${channel}/p${id.replace('.', '')}`,
    group: { id: support, name: '@support' },
    async say(by, place, text) {
      return (await slack.say({ user: idOf(by), ...place, text })).ts;
    },
    async forward(by, { channel, id }, to) {
      const forwards = { channel, ts: id };
      return (await slack.say({ user: idOf(by), channel: to, forwards })).ts;
    },
    async edit(_, { channel, id }, text) {
      slack.edit({ channel, ts: id, text });
    },
    remove: (_, { channel, id }) => slack.remove({ channel, ts: id }),
    async use({ by, in: channel, command, values = {}, file }: Use) {
      const user = idOf(by);
      const { question, ...others } = values;
      const typed = Object.entries(others).map(([option, value]) => `--${option} "${value}"`);
      const text = [...(question === undefined ? [] : [question]), ...typed].join(' ');
      const opened = slack.waitFor(({ kind }) => kind === 'modal');
      opened.catch(() => undefined);
      await slack.command({ user, channel, command: `/${command}`, text });
      if (!file) return;
      await opened;
      const view = slack.modals(user)[0]?.id ?? '';
      await slack.submit({ user, view, files: { file: [file] } });
    },
    press(by, place, label) {
      const user = idOf(by);
      const found = standing(user, place)
        .flatMap((message) => buttonsOf(message).map((button) => ({ ...button, ts: message.ts })))
        .find(({ text }) => text === label);
      if (!found) throw new Error(`There is no button ${label}.`);
      return slack.press({ user, channel: place.channel, ts: found.ts, actionId: found.action });
    },
    seen: (by, place) => standing(idOf(by), place).map((message) => toSeen(place.channel, message)),
    async shown(by, place, text) {
      const find = () => seat.seen(by, place).find((seen) => text.test(seen.text));
      if (!find()) await slack.waitFor(() => find() !== undefined);
      return find()!;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return seat;
}
