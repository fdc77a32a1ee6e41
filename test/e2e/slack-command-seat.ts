import { text as readText } from 'node:stream/consumers';
import { english } from '../../src/bridge/texts/texts.ts';
import { elementsOf } from '../../src/sandbox/slack/block.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import type { SlackChange, SlackMessage, SlackView } from '../../src/sandbox/slack/model.ts';
import type { SlackWorkspace } from '../../src/sandbox/slack/slack-workspace.ts';
import {
  type Channel,
  ClientRefusal,
  type CommandSeat,
  type Seats,
  type SeenResult,
  type Use,
} from '../contracts/commands/seat.ts';
import { buttonsOf, type Seen, toResult, valueOf } from './slack-seen.ts';

/** Ada, an admin, and Grace, who isn't one, in #general. */
export function slackCommandSeats(slack: SlackWorkspace): Seats {
  return {
    manager: slackCommandSeat(slack, 'ada'),
    member: slackCommandSeat(slack, 'grace'),
    memberName: '@grace',
    groupName: '@support',
    // Modals are checked before they are sent; typed commands are not.
    clientRefuses: { text: /Please use at most/, file: /required field|Please choose at most/ },
  };
}

function slackCommandSeat(slack: SlackWorkspace, name: string): CommandSeat {
  const person = slack.users().find((each) => each.name === name);
  if (!person) throw new Error(`nobody is called ${name}`);
  const user = person.id;
  const idOf = (place: Channel) => slack.channels().find((each) => each.name === place)?.id ?? '';
  const channel = idOf('general');

  const direct = slack.direct(user).id;

  /** What a change of the bot's messages shows this person: in the channel, its threads, or directly. */
  function shownBy(change: SlackChange, thread?: string): Seen | undefined {
    if (change.kind === 'ephemeral') return change.user === user ? change.message : undefined;
    if (change.kind !== 'message' || change.event === 'replied') return undefined;
    const isDirect = change.channel === direct;
    const isHere = change.thread === thread && (thread !== undefined || change.channel === channel);
    return (isDirect || isHere) && change.message.bot_id ? change.message : undefined;
  }

  function formOf(change: SlackChange): SlackView | undefined {
    return change.kind === 'modal' && change.user === user ? change.views.at(-1) : undefined;
  }

  /** The first change after the action that is accepted; rejects if the action does. */
  async function after(
    act: () => Promise<unknown>,
    accepts: (change: SlackChange) => boolean,
  ): Promise<SlackChange> {
    const given = new AbortController();
    const change = slack.waitFor(accepts, { signal: given.signal });
    change.catch(() => undefined);
    try {
      await act();
    } catch (error) {
      given.abort(error);
      throw error;
    }
    return change;
  }

  /** What is shown after an action. Modals that open meanwhile are filled in and sent. */
  async function shown(
    act: () => Promise<unknown>,
    accepts: (message: Seen) => boolean,
    { use, thread }: { use?: Use; thread?: string } = {},
  ): Promise<SeenResult> {
    for (let doing = act; ;) {
      const change = await after(doing, (each) => {
        const message = shownBy(each, thread);
        return formOf(each) !== undefined || (message !== undefined && accepts(message));
      });
      const form = formOf(change);
      if (form) doing = () => send(form, use);
      else return toResult(shownBy(change, thread));
    }
  }

  async function send(form: SlackView, use?: Use): Promise<void> {
    const typed = elementsOf(form.blocks).flatMap(({ element: { type, action_id: id = '' } }) => {
      const value = use?.values[id];
      return type.endsWith('text_input') && value !== undefined ? [[id, value] as const] : [];
    });
    const sent = await slack.submit({
      user,
      view: form.id,
      values: Object.fromEntries(typed),
      files: { file: [...(use?.files ?? [])] },
    });
    if (sent.outcome === 'errors') {
      await slack.close(form.id);
      throw new ClientRefusal(
        Object.entries(sent.errors)
          .map(([field, problem]) => `**${field}**: ${problem}`)
          .join('\n'),
      );
    }
    if (sent.outcome === 'failed') throw new Error(sent.reason);
  }

  /** The modal that a command opens, or the message in its place. */
  async function open(use: Use): Promise<SlackView | SeenResult> {
    const isNew = toNewness();
    const newBy = (change: SlackChange) => {
      const message = shownBy(change);
      return message && isNew(message) ? message : undefined;
    };
    const change = await after(
      () => type(use),
      (each) => formOf(each) !== undefined || newBy(each) !== undefined,
    );
    return formOf(change) ?? toResult(newBy(change));
  }

  function type({ command, values }: Use): Promise<boolean> {
    const options = Object.entries(values).map(([option, value]) => `--${option}=${quoted(value)}`);
    return slack.command({
      user,
      channel,
      command: '/causeway',
      text: [command, ...options].join(' '),
    });
  }

  /**
   * Tells a new message from edits of existing ones, and from the note after a file was sent, which
   * another test may have asked for.
   */
  function toNewness(): (message: Seen) => boolean {
    const standing = [...slack.messages(channel), ...slack.ephemerals(user, channel)];
    const known = new Set(standing.map(({ ts }) => ts));
    return (message) => !known.has(message.ts) && plainText(message) !== english.places.filesSent;
  }

  const hasButton = (buttons: { text: string }[], { button }: Use) =>
    button === undefined || buttons.some(({ text }) => text === button);

  return {
    lead: '/causeway ',
    timeZone: person.timezone,
    use: (use, shows) =>
      shown(
        () => type(use),
        (message) => shows.test(plainText(message)) && hasButton(buttonsOf(message), use),
        { use },
      ),
    async attempt(use) {
      const isNew = toNewness();
      const accepts = (message: Seen) => isNew(message) && plainText(message) !== '';
      try {
        return (await shown(() => type(use), accepts, { use })).text;
      } catch (error) {
        if (error instanceof ClientRefusal) return error.message;
        throw error;
      }
    },
    async begin(use) {
      const form = await open(use);
      if ('text' in form) return { kind: 'refused', text: form.text };
      await slack.close(form.id);
      const fields = elementsOf(form.blocks).map(({ element }) => [
        element.action_id ?? '',
        valueOf(element),
      ]);
      return { kind: 'form', fields: Object.fromEntries(fields) as Record<string, string> };
    },
    async suggestions(command, option, typed) {
      const form = await open({ command, values: {} });
      if ('text' in form) throw new Error(`no form opened: ${form.text}`);
      const offered = await slack.suggest({ user, view: form.id, actionId: option, typed });
      await slack.close(form.id);
      return offered.map(({ text }) => text.text);
    },
    press(result, label, shows) {
      const all = [...slack.messages(channel), ...slack.ephemerals(user, channel)];
      const message = all.find(({ ts }) => ts === result.id);
      const button = buttonsOf(message).find(({ text }) => text === label);
      if (!button) throw new Error(`no button ${label} below: ${result.text}`);
      return shown(
        () => slack.press({ user, channel, ts: result.id, actionId: button.action }),
        (each) => shows.test(plainText(each)),
      );
    },
    async file(file) {
      const find = () =>
        slack
          .messages(direct)
          .flatMap(({ ts }) => slack.messages(direct, ts))
          .flatMap(({ files = [] }) => files)
          .find((each) => each.name === file);
      if (!find()) await slack.waitFor(() => find() !== undefined);
      const bytes = slack.file(find()?.id ?? '')?.bytes;
      return bytes ? readText(bytes) : '';
    },
    async mention(text, shows, place = 'general') {
      const at = idOf(place);
      const { ts } = await slack.say({ user, channel: at, text: `<@${slack.bot.user}> ${text}` });
      const isAnswer = (message: SlackMessage) =>
        message.bot_id !== undefined && shows.test(plainText(message));
      await slack.waitForMessage({ channel: at, thread: ts }, isAnswer);
      return ts;
    },
    say(thread, text, shows) {
      const place = slack.messages(idOf('help'), thread).length > 0 ? idOf('help') : channel;
      const said = text.replace('@bot', `<@${slack.bot.user}>`);
      return shown(
        () => slack.say({ user, channel: place, thread, text: said }),
        (message) => shows.test(plainText(message)),
        { thread },
      );
    },
  };
}

/** In quotation marks that the text doesn't contain. */
function quoted(text: string): string {
  if (!text.includes('"')) return `"${text}"`;
  return text.includes("'") ? `“${text}”` : `'${text}'`;
}
