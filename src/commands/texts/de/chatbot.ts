import type { Texts } from '../en.ts';
import { count } from '../count.ts';

export const chatbot: Texts['chatbot'] = {
  created: (name, use) =>
    `${name} wurde angelegt, mit seinem Agenten General Q&A. ${use} lässt ihn hier antworten.`,
  count: (number) => count(number, 'Chatbot', 'Chatbots'),
  answersHere: '💬 antwortet hier',
  used: {
    channel: (name) =>
      `In diesem Kanal antwortet von nun an ${name}. Begonnene Threads bleiben bei ihrem.`,
    workspace: (name) =>
      `In diesem Arbeitsbereich antwortet von nun an ${name}, außer in Kanälen mit einem eigenen Chatbot. Begonnene Threads bleiben bei ihrem.`,
  },
  deleteFallback: (name) =>
    `${name} antwortet überall, wo kein anderer Chatbot gewählt wurde, und kann darum hier nicht gelöscht werden. Wer diesen Bot betreibt, kann einen anderen benennen (CHATBOT_UUID).`,
  deleteAsk: (name, what) =>
    [
      `Den Chatbot ${name} endgültig löschen? Mit ihm gehen ${count(what.sources, 'Quelle', 'Quellen')}, ${count(what.tags, 'Schlagwort', 'Schlagwörter')}, ${count(what.agents, 'Agent', 'Agenten')} und ${count(what.sessions, 'Sitzung', 'Sitzungen')} mit ihren Nachrichten.`,
      what.places > 0
        ? `Er wurde für ${count(what.places, 'Kanal oder Arbeitsbereich', 'Kanäle und Arbeitsbereiche')} gewählt, wo dann wieder der übliche antwortet.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),
  rate: (messages, seconds) =>
    `${count(messages, 'Nachricht', 'Nachrichten')} in ${count(seconds, 'Sekunde', 'Sekunden')}`,
};
