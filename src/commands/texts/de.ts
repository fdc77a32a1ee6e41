import type { Texts } from './en.ts';
import { kinds } from './de/kinds.ts';
import { agent } from './de/agent.ts';
import { chatbot } from './de/chatbot.ts';
import { descriptions } from './de/descriptions.ts';
import { failures } from './de/failures.ts';
import { forms } from './de/forms.ts';
import { choices, labels, limits } from './de/labels.ts';
import { places } from './de/places.ts';
import { problems } from './de/problems.ts';
import { session } from './de/session.ts';
import { source } from './de/source.ts';
import { tag } from './de/tag.ts';

/** What commands say in German. */
export const german: Texts = {
  descriptions,

  asked: 'Ich antworte im Thread unter deiner Frage.',
  unknownCommand: (help) => `Diesen Befehl kenne ich nicht. ${help} zeigt, welche ich kenne.`,
  managersOnly: (named) =>
    `Das dürfen nur Verwalter: Admins und Inhaber in Slack, wer in Discord den Server verwalten darf, und ${named || 'wen ein Verwalter oder die Betreiber dieses Bots benannt haben'}.`,
  forgotten: 'Dieser Knopf ist zu alt. Bitte verwende den Befehl noch einmal.',
  share: 'Im Kanal teilen',
  sharedBy: (name) => `*Geteilt von ${name}*`,
  showAll: 'Alles zeigen',
  useAgain: 'Bitte verwende den Befehl noch einmal.',
  keep: 'Abbrechen',
  kept: 'Es wurde nichts gelöscht.',
  deleteLabel: 'Löschen',
  deleted: (name) => `${name} wurde gelöscht.`,
  deletedElsewhere: (kind, name) => `${kinds[kind].the} **${name}** wurde anderswo gelöscht.`,
  renamed: (before, after) => `**${before}** heißt jetzt **${after}**.`,
  updated: (name) => `Gespeichert: ${name}`,
  nothingChanged: 'Nichts zu ändern: Gib mindestens einen Wert an, der anders ist.',
  yesOrNo: (value) => (value ? 'ja' : 'nein'),

  pages: {
    which: (page, pages) => `Seite ${page} von ${pages}`,
    previous: 'Zurück',
    next: 'Weiter',
  },

  whichOne: {
    several: (kind, name) => `Es gibt ${kinds[kind].several} namens „${name}“. Was ist gemeint?`,
    guess: (kind, name) => `Es gibt ${kinds[kind].none} namens „${name}“. Ist dies gemeint?`,
  },

  problems,
  failures,
  forms,
  labels,
  choices,
  limits,
  places,
  fields: {
    note: 'Hinweis',
    status: 'Zustand',
    type: 'Art',
    file: 'Datei oder Adresse',
    link: 'Verweis',
    tokens: 'Tokens',
    size: 'Größe',
    tags: 'Schlagwörter',
    agents: 'Agenten',
    sources: 'Quellen',
    created: 'Angelegt',
    modified: 'Geändert',
    uuid: 'Kennung',
    description: 'Beschreibung',
    temperature: 'Temperatur',
    variables: 'Variablen',
    handoverMessage: 'Wenn jemand einen Menschen sprechen möchte',
    handoverStart: 'Wenn ein Mensch übernimmt',
    handoverEnd: 'Wenn der Mensch geht',
    monitored: 'Nachrichten, die nach einem Menschen fragen',
    notifications: 'Benachrichtigungen',
    sound: 'Ton',
    visibility: 'Sichtbarkeit',
    rateLimit: 'Begrenzung',
    rateLimitMessage: 'Darüber hinaus',
    citations: 'Zeigt Quellen',
    following: 'In diesem Kanal',
    channel: 'Kanal',
    people: 'Menschen',
  },

  source,
  tag,
  agent,
  chatbot,
  session,
  help: {
    heading:
      'Erwähne mich mit einer Frage, und ich antworte in einem Thread. Außerdem kannst du verwenden:',
    forManagers: 'Du bist hier Verwalter und kannst darum auch Dinge ändern.',
    forEveryone: 'Verwalter können auch Dinge ändern.',
  },
};
