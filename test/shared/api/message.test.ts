import { expect, test } from 'vitest';
import { Message } from '../../../src/shared/api/message.ts';

const message = { uuid: '1', created_at: 'now', modified_at: 'now' };

test.each([
  [['rude'], { score: 1 }, ['rude'], { score: 1 }],
  ['["rude"]', '{"score":1}', ['rude'], { score: 1 }],
  ['', 'none', [], {}],
  [null, null, [], {}],
  [undefined, undefined, [], {}],
])(
  'frustrations and feedback are read as values and as JSON: %j, %j',
  (given, sent, list, feedback) => {
    const fields = { ...message, detected_frustrations: given, feedback_json: sent };
    expect(Message.parse(fields)).toMatchObject({
      detected_frustrations: list,
      feedback_json: feedback,
    });
  },
);
