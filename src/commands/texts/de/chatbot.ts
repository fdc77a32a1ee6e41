import type { Texts } from '../en.ts';
import { count } from './count.ts';

export const chatbot: Texts['chatbot'] = {
  created: (name, use) =>
    `${name} wurde angelegt, mit seinem Agenten General Q&A. ${use} lässt ihn hier antworten.`,
  count: (number) => count(number, 'Chatbot', 'Chatbots'),
  answersHere: '💬 antwortet hier',
  madeOrUsedHere: 'hier angelegt oder verwendet',
  chosenIsGone: (now) =>
    `Der Chatbot, der hier gewählt war, wurde anderswo gelöscht. ${now} antwortet hier wieder.`,
  usualOne: 'Der übliche',
  used: {
    channel: (name) =>
      `In diesem Kanal antwortet von nun an ${name}. Begonnene Threads bleiben bei ihrem.`,
    workspace: (name) =>
      `In diesem Arbeitsbereich antwortet von nun an ${name}, außer in Kanälen mit einem eigenen Chatbot. Begonnene Threads bleiben bei ihrem.`,
    direct: (name, anew) =>
      `In dieser Direktnachricht antwortet von nun an ${name}. Begonnenes bleibt bei seinem Chatbot: ${anew} fängt neu an.`,
    directs: (name, anew) =>
      `In Direktnachrichten antwortet von nun an ${name}, außer in solchen mit einem eigenen Chatbot. Begonnenes bleibt bei seinem Chatbot: ${anew} fängt neu an.`,
  },
  deleteFallback: (name) =>
    `${name} antwortet überall, wo kein anderer Chatbot gewählt wurde, und kann darum hier nicht gelöscht werden. Wer diesen Bot betreibt, kann einen anderen benennen (CHATBOT_UUID).`,
  deleteAsk: (name, what) =>
    [
      `Den Chatbot ${name} endgültig löschen? Mit ihm gehen ${count(what.sources, 'Quelle', 'Quellen')}, ${count(what.tags, 'Schlagwort', 'Schlagwörter')}, ${count(what.agents, 'Agent', 'Agenten')} und ${count(what.sessions, 'Sitzung', 'Sitzungen')} mit ihren Nachrichten.`,
      what.places > 0
        ? `Er wurde für ${count(what.places, 'Kanal oder Arbeitsbereich', 'Kanäle und Arbeitsbereiche')} gewählt, wo dann wieder der des Arbeitsbereichs oder sonst der übliche antwortet.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),
  following: {
    mentions: 'Ich antworte, wenn ich erwähnt werde.',
    threads:
      'Ich antworte, wenn ich erwähnt werde, und auf alles, was in begonnenen Threads gesagt wird.',
    everything:
      'Ich antworte auf jede Nachricht eines Menschen, jeweils in einem eigenen Thread, und auf alles, was darin gesagt wird.',
  },
  followingDirect:
    'Ich antworte auf alles, was in einer Direktnachricht mit mir gesagt wird; das lässt sich nicht ändern.',
  hearing: {
    mentions:
      'Allerdings zeigt Discord mir nur Nachrichten, die mich erwähnen. Wer diesen Bot betreibt, kann das ändern: „Message Content Intent“ bei https://discord.com/developers/applications unter „Bot“ einschalten und neu starten.',
    uninvited:
      'Allerdings bin ich kein Mitglied dieses Kanals und höre hier nichts. Lade mich mit „/invite“ und meinem Namen ein.',
    unseen:
      'Allerdings fehlt mir hier das Recht „View Channel“, und ich höre nichts. Wer den Server verwaltet, kann es mir in den Einstellungen des Kanals unter „Berechtigungen“ geben.',
  },
  noWorkspace:
    'Eine Direktnachricht gehört zu keinem Server. Verwende diesen Befehl in einem Kanal des Servers, für den er gedacht ist.',
  followed: 'Von nun an in diesem Kanal',
  managersHere: 'Wer hier verwaltet',
  platformManagers:
    'Admins und Inhaber des Arbeitsbereichs in Slack, wer in Discord den Server verwalten darf: immer',
  namedBy: {
    environment: 'von den Betreibern dieses Bots benannt (MANAGERS)',
    command: 'hier benannt',
  },
  managersSaved: 'Gespeichert.',
  managersSame: 'Das ändert nichts.',
  tooManyManagers: (most) =>
    `Höchstens ${most} Menschen und Gruppen können hier benannt werden. Benenne eine Gruppe statt ihrer Mitglieder.`,
  auditIn: (channel) => `Änderungen werden in ${channel} gemeldet.`,
  auditNowhere:
    'Änderungen werden in keinem Kanal gemeldet; das Protokoll dieses Bots hat sie alle.',
  auditBegins: 'Änderungen werden von nun an hier gemeldet.',
  auditEnds: (who) => `Änderungen werden hier nicht mehr gemeldet: ${who} hat es anders gewählt.`,
  notWritable: (channel) => `In ${channel} kann ich nicht schreiben; es wurde nichts geändert.`,
  notified: 'Wer erfährt, dass jemand einen Menschen sprechen möchte',
  nobodyNotified:
    'Niemand erfährt, dass jemand einen Menschen sprechen möchte. Nenne einen Kanal oder Menschen, die es erfahren sollen.',
  notifyBegins: 'Möchte jemand einen Menschen sprechen, wird es von nun an hier gemeldet.',
  tooManyContacts: (most) => `Höchstens ${most} Menschen können benachrichtigt werden.`,
  rate: (messages, seconds) =>
    `${count(messages, 'Nachricht', 'Nachrichten')} in ${count(seconds, 'Sekunde', 'Sekunden')}`,
};
