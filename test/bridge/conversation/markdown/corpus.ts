import { readdirSync, readFileSync } from 'node:fs';
import { array, constantFrom } from 'fast-check';

const folder = new URL('../../../fixtures/markdown/', import.meta.url);

/** Markdown as chatbots write it, in several scripts. */
export const corpus: [name: string, text: string][] = readdirSync(folder)
  .toSorted()
  .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]);

// prettier-ignore
const fragments = [
  'word ', 'Sentence. ', '你好世界。', 'नमस्ते ', 'مرحبا ', '👩🏽‍💻', '<', '5 ', 'x', '\\', '$x_1$ ', '$',
  '\n', '\n\n', '\n- item ', '\n1. one ', '\n   - nested ', '\n> quote ', '\n# Title\n', '\n    ', '\n---\n',
  '```', '\n```js\n', '\n```\n', '\n~~~~\n', '\n  ```\n', '\n> ```\n> ', '`code` ', '`', '``',
  '**', '*', '_', '~~', '[', '](', ')', '![', '[link](https://a.example/b_c) ', '<https://a.example/> ',
  '\n| a | b |\n|---|--:|\n| c | d |\n| e | f |', '| g ', '|', '\n|', ': ', '- ', '1', '.',
];

/** Markdown in every state of disorder. */
export const disorder = array(constantFrom(...fragments), { maxLength: 40 }).map((parts) =>
  parts.join(''),
);
