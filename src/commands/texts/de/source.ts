import type { Texts } from '../en.ts';
import { count } from './count.ts';

export const source: Texts['source'] = {
  ready: (name, tokens, size) => `${name} ist bereit: ${tokens} Tokens, ${size}`,
  failed: (name, reason, retry) =>
    `${name} konnte nicht aufgenommen werden: ${reason}. Behebe das und verwende ${retry}, oder lösche die Quelle.`,
  states: { ready: 'bereit', failed: 'fehlgeschlagen' },
  stages: {
    waiting: 'wartet',
    downloading: 'wird geladen',
    reading: 'wird gelesen',
    cutting: 'wird in Abschnitte geteilt',
    indexing: 'wird erschlossen',
    finishing: 'wird abgeschlossen',
  },
  noStorage: 'der Speicher deines Tarifs ist aufgebraucht',
  noTokens: 'die Tokens deines Tarifs sind aufgebraucht',
  statusSays: (status) => `der Dienst meldet „${status}“`,
  takesLong: (list) =>
    `Das dauert lange: Ich sage dir, wenn es fertig ist, und ${list} zeigt, wie es steht.`,
  takesTooLong: (list) => `Das ist nach Stunden noch nicht fertig. ${list} zeigt, wie es steht.`,
  goesOn: (list) => `Der Dienst macht damit weiter; ${list} zeigt, wie es steht.`,
  notTold:
    'Dieser Dienst sagt nicht, wie weit eine Quelle ist. Der Chatbot antwortet daraus, sobald sie bereit ist, meist nach wenigen Minuten.',
  byWordsAlone:
    'nur über ihre Wörter zu finden, weil der Dienst für Bedeutungen (Embeddings) nicht erreichbar ist',
  fileTooLarge: (size, most) =>
    `Diese Datei hat ${size}, und ${most} sind erlaubt (UPLOAD_MAX_MB). Verkleinere oder teile sie, oder bitte die Betreiber dieses Bots um mehr.`,
  fileRefused: (size, refused) =>
    `Diese Datei hat ${size}, und der Chatbot-Dienst hat gerade eine von ${refused} als zu groß abgelehnt. Verkleinere oder teile sie.`,
  readyOf: (ready, all) => `${ready} von ${all} bereit`,
  adding: (who, name) => `${who} fügt ${name} hinzu …`,
  deletedMeanwhile: (name) => `${name} wurde gelöscht, bevor es bereit war.`,
  duplicate: 'war schon eine Quelle',
  tooManyUrls: (given, most) => `Das sind ${given} Adressen; höchstens ${most} gehen auf einmal.`,
  noAddress:
    'Das ist keine Webadresse. Gib eine an, die mit https:// beginnt, etwa https://example.com/handbook.',
  none: (upload, url) =>
    `Der Chatbot hat noch keine Quellen. Füge eine mit ${upload} oder ${url} hinzu.`,
  count: (shown, all) =>
    shown === all
      ? count(all, 'Quelle', 'Quellen')
      : `${shown} von ${count(all, 'Quelle', 'Quellen')}`,
  noneFailed: 'Keine dieser Quellen ist fehlgeschlagen.',
  noPage: 'das ist keine Webseite',
  tagged: (names, tag, all) =>
    `${names} → **${tag}**, jetzt mit ${count(all, 'Quelle', 'Quellen')}.`,
  untagged: (names, tag, all) =>
    `${names} aus **${tag}** herausgenommen, jetzt mit ${count(all, 'Quelle', 'Quellen')}.`,
  amount: (tokens, size) => `${tokens} Tokens, ${size}`,
  deleteAsk: (number) =>
    number === 1 ? 'Diese Quelle endgültig löschen?' : `Diese ${number} Quellen endgültig löschen?`,
  deleteUsage: (tags, agents) =>
    [
      tags.length > 0 ? `Fällt aus den Schlagwörtern ${tags.join(', ')}.` : '',
      agents.length > 0 ? `Die Agenten ${agents.join(', ')} sehen sie nicht mehr.` : '',
      'Der Chatbot antwortet dann nicht mehr daraus.',
    ]
      .filter(Boolean)
      .join(' '),
  deleteLabel: (number) => (number === 1 ? 'Löschen' : `${number} Quellen löschen`),
};
