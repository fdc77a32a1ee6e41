import { expect, test } from 'vitest';
import { toUnits } from '../../../src/service/ingestion/units.ts';

test.each([
  [
    'Am 6. Mai 1973 brannte sie ab. Danach war Ruhe.',
    ['Am 6. Mai 1973 brannte sie ab.', 'Danach war Ruhe.'],
  ],
  ['Im 10. Jahrhundert, z. B. hier.', ['Im 10. Jahrhundert, z. B. hier.']],
  ['It began in 1973. Then it ended.', ['It began in 1973.', 'Then it ended.']],
])('the sentences of “%s”', (text, sentences) => {
  expect(toUnits(text).map((unit) => unit.text)).toEqual(sentences);
});
