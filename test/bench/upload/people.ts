import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

export interface SentFile {
  name: string;
  bytes: Uint8Array;
}

/** Hands a file to the bot as a manager does; resolves with what is told of it in the end. */
export type Upload = (file: SentFile) => Promise<string>;

/** How long a file may take to become a source, or not. */
const waiting = { timeout: 10 * 60_000 };

/** By the shortcut of messages, since forms of Slack's take 10 MB and no more. */
export function slackUpload({ slack }: Sandbox): Upload {
  const user = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  return async (file) => {
    const { ts } = await slack.say({ user, channel, files: [file] });
    const opened = slack.waitFor(({ kind }) => kind === 'modal', waiting);
    const shortcut = slack.shortcuts().find(({ name }) => name === 'Add files as sources');
    await slack.shortcut({ user, channel, ts, callbackId: shortcut?.callbackId ?? '' });
    await opened;
    await slack.submit({ user, view: slack.modals(user).at(-1)?.id ?? '' });
    // That a file is refused is told to its person alone.
    const told = () =>
      [...slack.messages(channel), ...slack.ephemerals(user, channel)]
        .map(plainText)
        .find((text) => isEnd(text, file));
    if (!told()) await slack.waitFor(() => told() !== undefined, waiting);
    return told() ?? '';
  };
}

/** By the command, which takes files as large as people may send. */
export function discordUpload({ discord }: Sandbox): Upload {
  const channel = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  return async (file) => {
    const options = [{ name: 'upload', options: [{ name: 'file', file }] }];
    const told = () => discord.messages(channel).find(({ content }) => isEnd(content, file));
    await discord.command({ user: 'ada', channel, name: 'source', options });
    if (!told()) await discord.changes.waitFor(() => told() !== undefined, waiting);
    return told()?.content ?? '';
  };
}

function isEnd(text: string, { name }: SentFile): boolean {
  return text.includes(name) && /✅|❌/u.test(text);
}
