import * as api from './api.js';
import { button, h } from './dom.js';
import { createField, readValues } from './form-fields.js';
import { renderPart } from './message-part.js';

/**
 * The dialog that shows forms: the modals that the bot opens.
 *
 * @typedef {object} FormHandlers
 * @property {(values: Record<string, string | string[]>, files: { field: string, file: File }[]) => Promise<{ outcome: string, errors?: Record<string, string>, reason?: string }>} submit
 * @property {() => void} close
 * @property {((control: any, value?: any) => Promise<void>)} [press] needed where there are buttons
 * @property {((name: string, typed: string) => Promise<{ value: string, label: string }[]>)} [suggest]
 *
 * @param {HTMLDialogElement} dialog
 */
export function createFormDialog(dialog) {
  let shown;

  function show(form, names, handlers) {
    const kept = shown?.form.id === form.id ? readForm(shown.fields) : {};
    const fields = [];
    const items = form.items.map((item) => {
      if (item.kind !== 'field') return renderPart(item, names, handlers.press);
      const field = createField(item, kept[item.name]);
      fields.push(field);
      return field.element;
    });
    const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
    const send = h('button', { type: 'submit', class: 'primary' }, form.submit ?? '');
    const buttons = [button(form.close, leave), form.submit !== undefined && send];
    const element = h(
      'form',
      { novalidate: true },
      h('h2', { id: 'form-title' }, form.title),
      ...items,
      problem,
      h('div', { class: 'buttons end' }, ...buttons),
    );
    const mine = { form, fields, problem, send, handlers };
    element.addEventListener('submit', (event) => {
      event.preventDefault();
      void submit(mine);
    });
    for (const field of fields) {
      if (field.offer) lookUp(field, mine);
      whenChanged(field.element, () => field.complain(undefined));
    }
    whenChanged(element, () => {
      problem.hidden = true;
    });
    shown = mine;
    dialog.replaceChildren(element);
    if (!dialog.open) dialog.showModal();
    (fields[0]?.control ?? send).focus();
  }

  async function submit(mine) {
    const { fields, problem, send, handlers } = mine;
    const { values, files } = readValues(fields);
    send.disabled = true;
    const result = await handlers
      .submit(values, files)
      .catch((error) => ({ outcome: 'failed', reason: error.message }));
    send.disabled = false;
    if (shown !== mine) return;
    for (const field of fields) field.complain(result.errors?.[field.id]);
    problem.textContent = result.reason ?? '';
    problem.hidden = !result.reason;
    if (result.outcome === 'errors') fields.find(({ id }) => result.errors[id])?.control.focus();
    else if (result.outcome !== 'failed') hide();
  }

  function leave() {
    const { handlers } = shown ?? {};
    hide();
    handlers?.close();
  }

  function hide() {
    shown = undefined;
    dialog.replaceChildren();
    if (!dialog.open) return;
    dialog.close();
    // Chromium gives the focus back without the caret: what people type would be lost.
    const { activeElement } = document;
    activeElement.blur();
    activeElement.focus();
  }

  dialog.addEventListener('cancel', (event) => {
    // A file chooser that is cancelled says so, too, and its event bubbles.
    if (event.target !== dialog) return;
    event.preventDefault();
    leave();
  });

  return {
    show,
    hide,
    get form() {
      return shown?.form;
    },
  };
}

/** What a form holds, by field, to show it again. */
function readForm(fields) {
  return Object.fromEntries(
    fields.map(({ name, control, read }) => [name, control.files ?? read().value]),
  );
}

function whenChanged(element, act) {
  element.addEventListener('input', act);
  element.addEventListener('change', act);
}

/** Asks for the choices of a field with search, and again for every text that is typed. */
function lookUp({ control, name, offer }, { handlers }) {
  let last = 0;
  const look = async () => {
    const turn = (last += 1);
    const answer = await handlers.suggest(name, control.value).then(
      (choices) => ({ choices, none: 'No results' }),
      (error) => ({ choices: [], none: error.message }),
    );
    if (turn === last && document.activeElement === control) offer(answer.choices, answer.none);
  };
  // Not on focus, which the field also gets when a form opens and after a choice.
  control.addEventListener('click', look);
  control.addEventListener('input', look);
  control.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && !event.defaultPrevented) void look();
  });
}

/**
 * The modals that the bot opens, in the dialog.
 *
 * @param {object} page
 * @param {(platform: string) => void} page.asks called before a modal is submitted
 */
export function createModals({ dialog, directory, toasts, asks }) {
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
        const user = directory.me(platform).id;
        const { modals } = await api.get(`${platform}/modals`, { user });
        show(platform, modals);
      }
    },
    receive({ platform, kind, user, modals }) {
      if (kind === 'modals' && user === directory.me(platform).id) show(platform, modals);
    },
  };
}
