import * as api from './api.js';
import { commandLabel } from './command-label.js';

/**
 * The forms: modals that the bot opens, and the options of Discord's commands.
 *
 * @param {object} options
 * @param {any} options.dialog
 * @param {any} options.directory
 * @param {any} options.toasts
 * @param {(platform: string) => void} options.asks called before anything is sent
 */
export function createForms({ dialog, directory, toasts, asks }) {
  let commands = 0;

  /** Shows the top form; if none is open, closes the platform's shown one. */
  function show(platform, forms) {
    const form = forms.at(-1);
    if (!form) {
      if (dialog.form?.platform === platform) dialog.hide();
      return;
    }
    const at = { user: directory.me(platform).id, form: form.id };
    dialog.show({ ...form, platform }, directory.names(platform), {
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
    /** Shows the forms that are already open. */
    async load() {
      for (const platform of ['slack', 'discord']) {
        const { forms } = await api.get(`${platform}/forms`, { user: directory.me(platform).id });
        show(platform, forms);
      }
    },

    receive({ platform, kind, user, forms }) {
      if (kind === 'forms' && user === directory.me(platform).id) show(platform, forms);
    },

    /**
     * Runs a command after its options are filled in. The rest of the typed text goes into the
     * first text option.
     */
    run({ platform, channel, thread }, command, rest) {
      const { name, subcommand, fields } = command;
      const call = { user: directory.me(platform).id, channel, thread, name, subcommand };
      const submit = (options, files) => {
        asks(platform);
        return api.post(`${platform}/command`, { ...call, options }, files);
      };
      if (fields.length === 0) {
        void toasts.attempt(async () => {
          const { outcome, reason } = await submit({}, []);
          if (outcome === 'failed') toasts.complain(reason);
        });
        return;
      }
      const first = fields.find(({ input }) => input.kind === 'text');
      const items = fields.map((field) =>
        rest && field === first ? { ...field, input: { ...field.input, value: rest } } : field,
      );
      commands += 1;
      const title = commandLabel(command);
      const form = { id: `command ${commands}`, title, submit: 'Send', close: 'Cancel', items };
      dialog.show(form, directory.names(platform), {
        submit,
        close: () => undefined,
        async complete(focused, typed, options) {
          const body = { ...call, options: { ...options, [focused]: typed }, focused };
          return (await api.post(`${platform}/complete`, body)).choices;
        },
      });
    },
  };
}
