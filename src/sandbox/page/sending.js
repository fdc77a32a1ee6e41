import * as api from './api.js';
import { commandLabel, findCommand, isCommand, isFile, readOptions } from './commands.js';

/** @typedef {import('./directory.js').Place} Place */

/**
 * Sends what the person wrote, as a message or as a command.
 *
 * @param {object} page
 * @param {(platform: string) => void} page.asks called before anything is sent
 */
export function createSending({ directory, toasts, suggestions, asks }) {
  /**
   * Sends a text with files. Resolves with whether it was sent.
   *
   * @param {Place} place
   * @param {string} text
   * @param {File[]} files
   */
  async function send(place, text, files) {
    if (!isCommand(text)) return say(place, text.trim(), files);
    const runTyped = place.platform === 'slack' ? runOnSlack : runOnDiscord;
    return runTyped(place, text.trim(), files);
  }

  async function say(place, text, files) {
    const { platform } = place;
    const body = { ...directory.at(place), text: directory.toSent(platform, text) };
    const bringing = files.map((file) => ({ field: 'files', file }));
    asks(platform);
    return (await toasts.attempt(() => api.post(`${platform}/say`, body, bringing))) !== undefined;
  }

  async function runOnSlack(place, text, files) {
    if (files.length > 0) return refuse('Slack’s commands take no files. A form may ask for them.');
    const body = { ...directory.at(place), text };
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
    const { name, subcommand, fields } = command;
    const { typed, surplus } = readOptions(fields, text.slice(label.length));
    if (surplus) return refuse(`${label} has no option for “${surplus}”.`);
    const takers = fields.filter(isFile);
    if (files.length > takers.length) return refuse(`${label} doesn’t take so many files.`);
    const options = suggestions.valuesOf(fields, typed);
    const body = { ...directory.at(place), name, subcommand, options };
    const attached = files.map((file, index) => ({ field: takers[index].name, file }));
    asks('discord');
    const answer = await toasts.attempt(() => api.post('discord/command', body, attached));
    if (answer?.outcome === 'failed') toasts.complain(answer.reason);
    return answer !== undefined;
  }

  function refuse(reason) {
    toasts.complain(reason);
    return false;
  }

  return send;
}
