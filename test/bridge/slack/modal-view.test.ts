import { describe, expect, test } from 'vitest';
import {
  type FilledModal,
  modalProblems,
  parseModal,
  renderModal,
} from '../../../src/bridge/slack/modal.ts';
import { english, textsFor } from '../../../src/bridge/texts/texts.ts';
import { action } from './example-commands.ts';

const purpose = { command: 'source', action: 'add', channel: 'C1', responseUrl: 'https://x' };
const add = action(
  {
    file: { type: 'file', description: 'source file', required: true },
    title: { type: 'text', description: 'source title', maxLength: 10 },
    note: { type: 'text', description: 'source answer', multiline: true, maxLength: 9_000 },
  },
  { description: 'source upload' },
);

const reading = { texts: english, timeZone: 'UTC', nowMs: 0 };

function problems(values: FilledModal['values'], maxFileBytes: number) {
  return modalProblems(add, { values }, { maxFileBytes, reading });
}

describe('a form', () => {
  test('has a field for each option, filled in where a value fits', () => {
    const values = { title: 'A title that is too long' };
    const view = renderModal({
      action: add,
      values,
      purpose,
      texts: english,
    });
    expect(view.title.text).toBe('Add files');
    expect(view.blocks).toEqual([
      {
        type: 'input',
        block_id: 'file',
        label: { type: 'plain_text', text: 'File' },
        hint: { type: 'plain_text', text: english.descriptions['source file'] },
        optional: false,
        element: { type: 'file_input', action_id: 'file', max_files: 1 },
      },
      {
        type: 'input',
        block_id: 'title',
        label: { type: 'plain_text', text: 'Title' },
        hint: {
          type: 'plain_text',
          text: `${english.descriptions['source title']} (up to 10 characters)`,
        },
        optional: true,
        element: {
          type: 'plain_text_input',
          action_id: 'title',
          multiline: false,
          max_length: 10,
          initial_value: 'A title th',
        },
      },
      {
        type: 'input',
        block_id: 'note',
        label: { type: 'plain_text', text: 'Note' },
        hint: {
          type: 'plain_text',
          text: `${english.descriptions['source answer']} (up to 3000 characters)`,
        },
        optional: true,
        element: {
          type: 'plain_text_input',
          action_id: 'note',
          multiline: true,
          max_length: 3_000,
        },
      },
    ]);
  });

  test.each([
    ['0,5', 'an', { initial_value: '0.5' }, { initial_option: 'yes' }],
    ['1', 'Nein', { initial_value: '1' }, { initial_option: 'no' }],
    ['7', 'perhaps', {}, {}],
    ['warm', '', {}, {}],
  ])('begins with %s and %s only as its fields can hold them', (size, hidden, number, choice) => {
    const options = action({
      size: { type: 'number', min: 0, max: 1, description: 'agent temperature' },
      hidden: { type: 'boolean', description: 'agent all-sources' },
    });
    const values = { size, hidden };
    const { blocks } = renderModal({
      action: options,
      values,
      purpose,
      texts: english,
    });
    const initial = blocks.map((block) =>
      Object.entries('element' in block ? block.element : {}).filter(([key]) =>
        key.startsWith('initial_'),
      ),
    );
    const valueOf = (value: unknown) =>
      typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
    expect(
      initial.map((entries) =>
        Object.fromEntries(entries.map(([key, value]) => [key, valueOf(value)])),
      ),
    ).toEqual([number, choice]);
  });

  test.each([
    ['A title', false],
    ['A\ntitle', true],
  ])('with %j to begin with, a field of one line has several: %s', (title, multiline) => {
    const { blocks } = renderModal({ action: add, values: { title }, purpose, texts: english });
    expect(blocks[1]).toMatchObject({ element: { multiline, initial_value: title } });
  });

  test('is in the reader’s language', () => {
    const tag = action({
      title: { type: 'text', description: 'source title', required: true, maxLength: 500 },
      remove: { type: 'boolean', description: 'source tag remove' },
    });
    const texts = textsFor('de-DE');
    const { submit, close, blocks } = renderModal({
      action: tag,
      values: {},
      purpose,
      texts,
    });
    expect([submit?.text, close?.text]).toEqual(['Senden', 'Abbrechen']);
    expect(blocks).toMatchObject([
      { label: { text: 'Titel' }, hint: { text: 'Neuer Titel der Quelle (bis 500 Zeichen)' } },
      {
        label: { text: 'Entfernen' },
        element: { options: [{ text: { text: 'ja' }, value: 'yes' }, { text: { text: 'nein' } }] },
      },
    ]);
  });

  test('brings back what it is for', () => {
    const { private_metadata } = renderModal({
      action: add,
      values: {},
      purpose,
      texts: english,
    });
    const file = { id: 'F1', name: 'a.txt', size: 3 };
    const values = {
      file: { file: { type: 'file_input', files: [file] } },
      title: { title: { type: 'plain_text_input', value: null } },
      note: { note: { type: 'plain_text_input', value: 'n' } },
    };
    expect(parseModal({ private_metadata, state: { values } })).toEqual({
      purpose,
      values: { file, note: 'n' },
    });
  });

  test('tells a cleared menu from one that was left empty', () => {
    const sources = {
      type: 'reference',
      to: 'source',
      many: true,
      description: 'tag sources',
    } as const;
    const { private_metadata, blocks } = renderModal({
      action: action({ sources, others: sources }),
      values: {},
      chosen: { sources: [{ label: 'One', value: 's1' }] },
      purpose,
      texts: english,
    });
    const empty = { type: 'multi_external_select', selected_options: [] };
    const values = { sources: { sources: empty }, others: { others: empty } };
    const form = parseModal({ private_metadata, blocks, state: { values } });
    expect(form?.values).toEqual({ sources: '' });
  });

  test.each([['not JSON'], ['{}'], [''], ['null']])('of another app (%s) is none', (metadata) => {
    expect(parseModal({ private_metadata: metadata, state: { values: {} } })).toBeUndefined();
    expect(parseModal(undefined)).toBeUndefined();
  });
});

describe('what was filled in', () => {
  const file = { id: 'F1', size: 2 * 1024 * 1024 };

  test('is accepted if all values are valid', () => {
    expect(problems({ file, title: 'T' }, 2 * 1024 * 1024)).toEqual({});
  });

  test('is refused field by field', () => {
    expect(problems({ title: 'far too long', note: file }, 1_000_000)).toEqual({
      file: 'This field is required.',
      title: 'This has 12 characters; the limit is 10.',
      note: 'Enter some text.',
    });
    expect(problems({ file: 'a.txt' }, 1)).toEqual({ file: 'Choose a file.' });
    expect(problems({ file }, 1.9 * 1024 * 1024)).toEqual({
      file: expect.stringContaining('This file is 2 MB; the limit is 1.9 MB'),
    });
  });
});
