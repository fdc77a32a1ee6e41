import { h } from './dom.js';
import { showEmoji } from './emoji.js';
import { renderInline } from './inline.js';
import { renderText } from './markdown.js';

/**
 * A piece of a message, or a note within a form.
 *
 * @param {any} part
 * @param {{ names: import('./inline.js').Names }} context
 * @param {(control: any, value?: string | string[]) => Promise<void>} press
 */
export function renderPart(part, context, press) {
  const { kind, dialect, text } = part;
  if (kind === 'text') {
    const blocks = renderText(text, { ...context, dialect });
    for (const block of blocks) block.dir = 'auto';
    return h('div', { class: 'text' }, ...blocks);
  }
  if (kind === 'small') {
    return h('p', { class: 'small', dir: 'auto' }, ...renderInline(text, { ...context, dialect }));
  }
  if (kind === 'heading')
    return h('h3', { dir: 'auto' }, ...renderInline(text, { ...context, dialect }));
  if (kind === 'divider') return h('hr');
  if (kind === 'card') {
    return h('div', { class: 'card' }, ...part.parts.map((one) => renderPart(one, context, press)));
  }
  const controls = part.controls.map((control) =>
    control.kind === 'select' ? renderSelect(control, press) : renderButton(control, press),
  );
  return h('div', { class: 'buttons' }, ...controls);
}

function renderButton(control, press) {
  const { style, url, disabled, action } = control;
  const label = h('bdi', {}, showEmoji(control.label));
  const target = url && URL.parse(url);
  if (target && /^https?:$/.test(target.protocol)) {
    const open = () => action && press(control);
    return h(
      'a',
      {
        class: 'button',
        href: target.href,
        target: '_blank',
        rel: 'noopener noreferrer',
        onclick: open,
      },
      label,
    );
  }
  const button = h('button', { type: 'button', class: style, disabled }, label);
  button.addEventListener('click', async () => {
    if (control.confirm && !confirm(control.confirm)) return;
    button.disabled = true;
    await press(control, control.value);
    button.disabled = disabled === true;
  });
  return button;
}

function renderSelect(control, press) {
  const { label, options, multiple, disabled } = control;
  const select = h(
    'select',
    { 'aria-label': label, multiple, disabled },
    multiple ? '' : h('option', { value: '' }, label),
    ...options.map((option) => h('option', { value: option.value }, option.label)),
  );
  if (!multiple) {
    select.addEventListener('change', () => select.value && press(control, select.value));
    return select;
  }
  const choose = () =>
    press(
      control,
      [...select.selectedOptions].map(({ value }) => value),
    );
  return h('span', {}, select, h('button', { type: 'button', onclick: choose }, 'Choose'));
}
