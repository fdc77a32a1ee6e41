import * as api from './api.js';
import { commandLabel } from './command-text.js';

/**
 * The forms: modals that the bot opens, and the options of Discord's commands.
 *
 * @param {object} options
 * @param {any} options.dialog
 * @param {any} options.directory
 * @param {any} options.toasts
 * @param {any} options.suggestions
 * @param {(platform: string) => void} options.asks called before anything is sent
 */
export function createForms({ dialog, directory, toasts, suggestions, asks }) {
  let commands = 0;

  /** Shows the top modal; if none is open, closes the platform's shown one. */
  function show(platform, modals) {
    const modal = modals.at(-1);
    if (!modal) {
      if (dialog.form?.platform === platform) dialog.hide();
      return;
    }
    const at = { user: directory.me(platform).id, modal: modal.id };
    dialog.show({ ...modal, platform }, directory.names(platform), {
      submit(values, files) {
        asks(platform);
        return api.post(`${platform}/submit`, { ...at, values }, files);
      },
      close: () => toasts.attempt(() => api.post(`${platform}/close`, at)),
      async suggest(action, typed) {
        return (await api.post(`${platform}/suggest`, { ...at, action, typed })).choices;
      },
      press: ({ action }, value) =>
        toasts.attempt(() => api.post(`${platform}/press`, { ...at, action, value })),
    });
  }

  return {
    /** Shows the modals that are already open. */
    async load() {
      for (const platform of ['slack', 'discord']) {
        const { modals } = await api.get(`${platform}/modals`, { user: directory.me(platform).id });
        show(platform, modals);
      }
    },

    receive({ platform, kind, user, modals }) {
      if (kind === 'modals' && user === directory.me(platform).id) show(platform, modals);
    },

    /**
     * Runs a command, after a form if something required is missing. Resolves with whether it was
     * sent, or is asked for in a form.
     *
     * @param {import('./place.js').Place} place
     * @param {any} command
     * @param {Record<string, string>} typed options as people typed them
     * @param {File[]} [files] for its file options, in their order
     */
    async run(place, command, typed, files = []) {
      const { platform, channel, thread } = place;
      const { name, subcommand, fields } = command;
      const call = { user: directory.me(platform).id, channel, thread, name, subcommand };
      const fileFields = fields.filter(({ input }) => input.kind === 'file');
      const attached = fileFields
        .slice(0, files.length)
        .map((field, index) => ({ field: field.name, file: files[index] }));
      const isAttached = (field) => attached.some((one) => one.field === field.name);
      const isMissing = (field) =>
        field.required && typed[field.name] === undefined && !isAttached(field);
      const submit = (given, chosen) => {
        asks(platform);
        const options = suggestions.valuesOf(fields, given);
        return api.post(`${platform}/command`, { ...call, options }, [...attached, ...chosen]);
      };
      if (!fields.some(isMissing)) {
        const answer = await toasts.attempt(() => submit(typed, []));
        if (answer?.outcome === 'failed') toasts.complain(answer.reason);
        return answer !== undefined;
      }
      const asked = fields.filter((field) => !isAttached(field));
      commands += 1;
      const form = {
        id: `command ${commands}`,
        title: commandLabel(command),
        submit: 'Send',
        close: 'Cancel',
        items: asked.map((field) => fillIn(field, typed[field.name])),
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
    },
  };

  function fillIn(field, text) {
    if (text === undefined) return field;
    const { input } = field;
    const filled =
      input.kind === 'choice' ? { chosen: [suggestions.valueOf(field, text)] } : { value: text };
    return { ...field, input: { ...input, ...filled } };
  }
}
