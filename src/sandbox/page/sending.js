import * as api from './api.js';
import { commandLabel, findCommand, isCommand, readOptions } from './command-text.js';
import { toSent } from './typed-text.js';

/**
 * Sends what one wrote, as a message or as a command.
 *
 * @param {object} options
 * @param {any} options.directory
 * @param {any} options.toasts
 * @param {any} options.forms
 * @param {(platform: string) => void} options.asks called before anything is sent
 */
export function createSending({ directory, toasts, forms, asks }) {
  async function say(place, text, files) {
    const { platform, channel, thread } = place;
    const body = {
      user: directory.me(platform).id,
      channel,
      thread,
      text: toSent(text, directory.mentionable(platform)),
    };
    const bringing = files.map((file) => ({ field: 'files', file }));
    asks(platform);
    return (await toasts.attempt(() => api.post(`${platform}/say`, body, bringing))) !== undefined;
  }

  async function runOnSlack({ channel, thread }, text, files) {
    if (files.length > 0) return refuse('Slack’s commands take no files. A form may ask for them.');
    const body = { user: directory.me('slack').id, channel, thread, text };
    asks('slack');
    return (await toasts.attempt(() => api.post('slack/command', body))) !== undefined;
  }

  async function runOnDiscord(place, text, files) {
    const commands = directory.commands('discord');
    const command = findCommand(commands, text);
    if (!command) {
      const there = commands.map(commandLabel).join(', ') || 'none yet';
      return refuse(
        `There is no command ${text.split(/\s/)[0]} here. Available commands: ${there}.`,
      );
    }
    const label = commandLabel(command);
    const { typed, surplus } = readOptions(command.fields, text.slice(label.length));
    if (surplus) return refuse(`${label} has no option for “${surplus}”.`);
    if (files.length > command.fields.filter(({ input }) => input.kind === 'file').length) {
      return refuse(`${label} doesn’t take so many files.`);
    }
    return forms.run(place, command, typed, files);
  }

  function refuse(reason) {
    toasts.complain(reason);
    return false;
  }

  /**
   * Resolves with whether it was sent.
   *
   * @param {import('./place.js').Place} place
   * @param {string} text
   * @param {File[]} files
   */
  return async function send(place, text, files) {
    if (!isCommand(text)) return say(place, text.trim(), files);
    const run = place.platform === 'slack' ? runOnSlack : runOnDiscord;
    return run(place, text.trim(), files);
  };
}
