import { describe, expect, test } from 'vitest';
import { type FilledForm, formProblems, parseForm, renderForm } from '../../src/slack/form.ts';
import { english } from '../../src/commands/texts/en.ts';
import { action } from './example-commands.ts';

const purpose = { command: 'source', action: 'add', channel: 'C1', responseUrl: 'https://x' };
const add = action({
  file: { type: 'file', description: 'What to read', required: true },
  title: { type: 'text', description: 'What it is called', maxLength: 10 },
  note: { type: 'text', description: 'Anything', multiline: true, maxLength: 9_000 },
});

const reading = { texts: english, timeZone: 'UTC', nowMs: 0 };

function problems(values: FilledForm['values'], maxFileBytes: number) {
  return formProblems(add, { values }, { maxFileBytes, reading });
}

describe('a form', () => {
  test('has a field for each option, filled in as far as it goes', () => {
    const values = { title: 'A title that is too long' };
    const view = renderForm({ title: '/source add something new', action: add, values, purpose });
    expect(view.title.text).toBe('/source add something n…');
    expect(view.blocks).toEqual([
      {
        type: 'input',
        block_id: 'file',
        label: { type: 'plain_text', text: 'File' },
        hint: { type: 'plain_text', text: 'What to read' },
        optional: false,
        element: { type: 'file_input', action_id: 'file', max_files: 1 },
      },
      {
        type: 'input',
        block_id: 'title',
        label: { type: 'plain_text', text: 'Title' },
        hint: { type: 'plain_text', text: 'What it is called' },
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
        hint: { type: 'plain_text', text: 'Anything' },
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

  test('brings back what it is for', () => {
    const { private_metadata } = renderForm({ title: 't', action: add, values: {}, purpose });
    const file = { id: 'F1', name: 'a.txt', size: 3 };
    const values = {
      file: { file: { type: 'file_input', files: [file] } },
      title: { title: { type: 'plain_text_input', value: null } },
      note: { note: { type: 'plain_text_input', value: 'n' } },
    };
    expect(parseForm({ private_metadata, state: { values } })).toEqual({
      purpose,
      values: { file, note: 'n' },
    });
  });

  test.each([['not JSON'], ['{}'], [''], ['null']])('of another app (%s) is none', (metadata) => {
    expect(parseForm({ private_metadata: metadata, state: { values: {} } })).toBeUndefined();
    expect(parseForm(undefined)).toBeUndefined();
  });
});

describe('what was filled in', () => {
  const file = { id: 'F1', size: 2_000_000 };

  test('is taken when all is well', () => {
    expect(problems({ file, title: 'T' }, 2_000_000)).toEqual({});
  });

  test('is refused field by field', () => {
    expect(problems({ title: 'far too long', note: file }, 1_000_000)).toEqual({
      file: 'This is needed.',
      title: 'This has 12 characters; 10 are allowed.',
      note: 'Write a text.',
    });
    expect(problems({ file: 'a.txt' }, 1)).toEqual({ file: 'Choose a file.' });
    expect(problems({ file }, 1_900_000)).toEqual({
      file: 'This file has 2 MB; 1.9 MB are allowed.',
    });
  });
});
