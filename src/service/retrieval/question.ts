/** What a question asks for, judged by its words. */
export type Asked = 'steps' | 'time' | 'number' | 'person' | 'place' | 'list' | 'other';

const questionForms: [RegExp, Asked][] = [
  [
    /\bhow (?:many|much|long|old|far|big|large|tall)\b|\bwie ?viele?\b|\bwie (?:lange?|alt|hoch|gro(?:ß|ss))\b|多少|几|多[久大高长远]|сколько|\bcu[aá]nt[ao]s?\b/iu,
    'number',
  ],
  [
    /\bhow (?:do|does|can|could|to|should|would|must|might)\b|\bsteps?\b|\bset ?up\b|\bwie (?:kann|mache|geht|richte|fuge|füge|man|ich)\b/iu,
    'steps',
  ],
  [
    /\bwhen\b|\bwh(?:at|ich) (?:year|century|date|day|month|time)\b|\bwann\b|\bwelche[sm]? (?:jahr|datum)\b|何时|什么时[候间]|哪.?[年天日月]|когда|каком году|\bcuándo\b|\bqué (?:año|día)\b/iu,
    'time',
  ],
  [
    /\bwho(?:se|m)?\b|\bwer\b|\bwem\b|\bwen\b|谁|哪一?位|(?<!\p{L})к(?:то|ого|ому|ем)(?!\p{L})|\bquién(?:es)?\b/iu,
    'person',
  ],
  [
    /\bwhere\b|\bwh(?:at|ich) (?:country|countries|city|place|region|part)\b|\bwo(?:her|hin)?\b/iu,
    'place',
  ],
  [/\bwh(?:at|ich) (?:are|(?!(?:does|is|was|has)\b)\w+s)\b|\blist\b|\bwelche\b/iu, 'list'],
];

export function toAsked(query: string): Asked {
  return questionForms.find(([form]) => form.test(query))?.[1] ?? 'other';
}

/** In English, a noun that follows would make it part of a longer name: "which country code". */
const kindPattern = new RegExp(
  [
    String.raw`\bwh(?:at|ich) (?:year|century|decade|date|day|month|time|country|city|town|place|region|state|part|area|type|kind|sort)(?= (?:of|in|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must)\b|\W*$)`,
    String.raw`\bwelche[mnrs]? (?:Jahr(?:hundert|zehnt)?|Datum|Tag|Monat|Land|Stadt|Ort|Region|Staat|Teil|Gebiet|Art|Namen?)\b`,
    String.raw`(?<!\p{L})как(?:ой|ая|ое|ом|ого) (?:год|век|месяц|день|дня|стран|город|мест|област|част)\p{L}*`,
    String.raw`(?<!\p{L})qué (?:año|siglo|mes|día|fecha|país|ciudad|lugar|región|parte|tipo)(?!\p{L})`,
  ].join('|'),
  'giu',
);

/** A question without the noun that says of which kind the answer is: the answer to "which country" names one. */
export function withoutKind(query: string): string {
  return query.replace(kindPattern, ' ');
}

const shapePatterns: Partial<Record<Asked, RegExp>> = {
  time: /\b\d{3,4}\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bcentur(?:y|ies)\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|\b\d{1,2}[:.]\d{2}\b|\bdays?\b|\b(?:Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Tage?n?|Uhr)\b|Jahrhundert|\d ?[年月日]|世纪|\d (?:год|век)|(?<!\p{L})век|\bsiglo\b/iu,
  number:
    /\p{N}|\b(?:two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|dozen|several|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|tausend|Millionen)\b|[一二三四五六七八九十百千万两]/iu,
  person:
    /(?<=[\p{L}\p{N},;] )\p{Lu}\p{Ll}+|^\p{Lu}\p{Ll}+ (?:\p{Lu}|of |the )|\p{Script=Han}[·•]/u,
  list: /:$/u,
  place: /\b(?:in|at|from|to|near|of|into) (?:the )?(?:\p{Lu}|`|\/)/u,
};

const shapes = Object.entries(shapePatterns);

/** What a text contains of all that can be asked for, a bit for each: see `shapeBit`. */
export function toShapes(text: string): number {
  return shapes.reduce(
    (bits, [, pattern], place) => bits | (Number(pattern.test(text)) << place),
    0,
  );
}

/** The bit of `toShapes` that says whether a text has what is asked for; 0 if that has no shape. */
export function shapeBit(asked: Asked): number {
  const place = shapes.findIndex(([name]) => name === asked);
  return place === -1 ? 0 : 1 << place;
}

/**
 * Whether a text contains something of the requested kind: a date, a number, a name, the lead of a
 * list.
 */
export function hasShape(asked: Asked, text: string): boolean {
  return shapePatterns[asked]?.test(text) ?? false;
}
