import * as api from './api.js';
import { commandLabel } from './command-label.js';
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

  async function sendToSlack({ channel, thread }, text) {
    if (thread) {
      toasts.complain('Slack supports slash commands only in channels, not in threads.');
      return false;
    }
    const body = { user: directory.me('slack').id, channel, text };
    asks('slack');
    return (await toasts.attempt(() => api.post('slack/command', body))) !== undefined;
  }

  function runOnDiscord(place, text) {
    const commands = directory.commands('discord');
    const called = commands
      .filter((one) => `${text} `.startsWith(`${commandLabel(one)} `))
      .toSorted((one, other) => commandLabel(other).length - commandLabel(one).length)[0];
    if (!called) {
      const there = commands.map(commandLabel).join(', ') || 'none yet';
      toasts.complain(
        `There is no command ${text.split(/\s/)[0]} here. Available commands: ${there}.`,
      );
      return false;
    }
    forms.run(place, called, text.slice(commandLabel(called).length).trim());
    return true;
  }

  /**
   * Resolves with whether it was sent.
   *
   * @param {import('./place.js').Place} place
   * @param {string} text
   * @param {File[]} files
   */
  return async function send(place, text, files) {
    if (!text.startsWith('/') || files.length > 0) return say(place, text, files);
    return place.platform === 'slack' ? sendToSlack(place, text) : runOnDiscord(place, text);
  };
}
