import * as api from './api.js';
import { commandLabel, findCommand, isCommand, readOptions } from './commands.js';

/** @typedef {import('./directory.js').Place} Place */

/**
 * Sends what the person wrote, as a message or as a command.
 *
 * @param {object} page
 * @param {any} page.dialog asks for what a command still needs
 * @param {(platform: string) => void} page.asks called before anything is sent
 */
export function createSending({ directory, toasts, dialog, suggestions, asks }) {
  let forms = 0;

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

  async function say({ platform, channel, thread }, text, files) {
    const sent = directory.toSent(platform, text);
    const body = { user: directory.me(platform).id, channel, thread, text: sent };
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
    if (files.length > command.fields.filter(isFile).length) {
      return refuse(`${label} doesn’t take so many files.`);
    }
    return run(place, command, typed, files);
  }

  /**
   * Runs a command of Discord, after a form if something required is missing. Resolves with whether
   * it was sent, or is asked for in a form.
   *
   * @param {Place} place
   * @param {Record<string, string>} typed options as people typed them
   * @param {File[]} [files] for its file options, in their order
   */
  async function run(place, command, typed, files = []) {
    const { platform, channel, thread } = place;
    const { name, subcommand, fields } = command;
    const call = { user: directory.me(platform).id, channel, thread, name, subcommand };
    const takers = fields.filter(isFile).slice(0, files.length);
    const attached = takers.map((field, index) => ({ field: field.name, file: files[index] }));
    const submit = (given, chosen) => {
      asks(platform);
      const options = suggestions.valuesOf(fields, given);
      return api.post(`${platform}/command`, { ...call, options }, [...attached, ...chosen]);
    };
    const open = fields.filter((field) => !takers.includes(field));
    if (!open.some((field) => field.required && typed[field.name] === undefined)) {
      const answer = await toasts.attempt(() => submit(typed, []));
      if (answer?.outcome === 'failed') toasts.complain(answer.reason);
      return answer !== undefined;
    }
    forms += 1;
    const form = {
      id: `command ${forms}`,
      title: commandLabel(command),
      submit: 'Send',
      close: 'Cancel',
      items: open.map((field) => fillIn(field, typed[field.name])),
    };
    dialog.show(form, directory.names(platform), {
      submit,
      close: () => undefined,
      complete(focused, text, values) {
        const given = suggestions.valuesOf(fields, values);
        return suggestions.ask(place, command, { name: focused, text }, given);
      },
    });
    return true;
  }

  function fillIn(field, text) {
    if (text === undefined) return field;
    const { input } = field;
    const filled =
      input.kind === 'choice' ? { chosen: [suggestions.valueOf(field, text)] } : { value: text };
    return { ...field, input: { ...input, ...filled } };
  }

  function refuse(reason) {
    toasts.complain(reason);
    return false;
  }

  return { send, run };
}

function isFile({ input }) {
  return input.kind === 'file';
}
