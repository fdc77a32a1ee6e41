import { createFormats, type Noun } from '../formats.ts';
import type { Messages } from '../messages.ts';
import type { FieldFault, Resource } from './en.ts';

const { and, count, or } = createFormats('de');

const kinds = {
  source: { the: 'Die Quelle', none: 'keine Quelle', several: 'mehrere Quellen' },
  tag: { the: 'Das Schlagwort', none: 'kein Schlagwort', several: 'mehrere Schlagwörter' },
  agent: { the: 'Der Agent', none: 'keinen Agenten', several: 'mehrere Agenten' },
  chatbot: { the: 'Der Chatbot', none: 'keinen Chatbot', several: 'mehrere Chatbots' },
  session: { the: 'Die Sitzung', none: 'keine Sitzung', several: 'mehrere Sitzungen' },
};

/** What commands and their options do, at most 100 characters each: Discord's limit. */
const descriptions: Messages['descriptions'] = {
  page: 'Welche Seite der Liste',
  color: 'Eine Farbe wie #1f2937 oder ein englischer Name wie teal',

  ask: 'Den Chatbot fragen; er antwortet in einem Thread',
  'ask question': 'Was du wissen möchtest',

  source: 'Was der Chatbot weiß: Quellen hinzufügen, auflisten, umbenennen, löschen',
  'source upload': 'Dem Chatbot Dateien beibringen',
  'source upload shortcut': 'Dateien als Quellen',
  'source url': 'Dem Chatbot Webseiten beibringen',
  'source qa': 'Dem Chatbot die Antwort auf eine Frage beibringen',
  'source list': 'Auflisten, was der Chatbot weiß',
  'source show': 'Alles über eine Quelle zeigen',
  'source rename': 'Einer Quelle einen anderen Titel geben',
  'source delete': 'Quellen löschen',
  'source refresh': 'Webseiten neu abrufen',
  'source retry': 'Fehlgeschlagene Quellen noch einmal versuchen',
  'source tag': 'Quellen in ein Schlagwort aufnehmen oder herausnehmen',
  'source file': 'Text, Markdown, HTML, PDF, Word, Excel, CSV oder andere Dokumente',
  'source link': 'Wohin Zitate daraus führen, beginnt mit https://',
  'source urls': 'Bis zu 20 Adressen, die mit https:// beginnen, mit Leerzeichen dazwischen',
  'source question': 'Was gefragt wird',
  'source answer': 'Was zu antworten ist',
  'source filter': 'Nur solche mit diesem Text im Namen',
  'source status': 'Nur solche in diesem Zustand',
  'source list tag': 'Nur solche in diesem Schlagwort',
  'source name': 'Die Quelle, mit ihrem Namen',
  'source names': 'Quellen mit ihren Namen, mehrere mit Komma dazwischen',
  'source retry names': 'Fehlgeschlagene Quellen mit ihren Namen; ohne Angabe alle',
  'source title': 'Ihr neuer Titel',
  'source tag tag': 'Das Schlagwort, mit seinem Namen',
  'source tag remove': 'Die Quellen aus dem Schlagwort herausnehmen',

  tag: 'Gruppen von Quellen',
  'tag create': 'Ein Schlagwort anlegen',
  'tag list': 'Die Schlagwörter auflisten',
  'tag show': 'Alles über ein Schlagwort zeigen',
  'tag update': 'Ein Schlagwort ändern',
  'tag delete': 'Ein Schlagwort löschen; seine Quellen bleiben',
  'tag name': 'Das Schlagwort, mit seinem Namen',
  'tag new name': 'Wie das Schlagwort heißt',
  'tag sources': 'Die Quellen darin, mit ihren Namen, mit Komma dazwischen',
  'tag update sources': 'Die Quellen, die es von nun an enthält, mit Komma dazwischen',

  agent: 'Wer im Chatbot antwortet, mit welcher Anweisung, welchem Modell und welchen Quellen',
  'agent list': 'Die Agenten auflisten',
  'agent show': 'Alles über einen Agenten zeigen',
  'agent create': 'Einen Agenten anlegen; er ist zunächst abgeschaltet',
  'agent update': 'Einen Agenten ändern',
  'agent enable': 'Einen Agenten antworten lassen',
  'agent disable': 'Einen Agenten nicht mehr antworten lassen',
  'agent delete': 'Einen Agenten löschen',
  'agent sources': 'Die Quellen wählen, die ein Agent sieht',
  'agent name': 'Der Agent, mit seinem Namen',
  'agent new name': 'Wie der Agent heißt',
  'agent type': 'Welche Art von Agent es ist',
  'agent description': 'Wofür er da ist; „none“ für nichts',
  'agent prompt': 'Wie er antworten soll',
  'agent model': 'Das Sprachmodell, mit seinem Namen beim Dienst',
  'agent temperature': '0 für immer dieselbe Antwort, bis 1 für die abwechslungsreichste',
  'agent all-sources': 'Ob er alle Quellen sieht',
  'agent variables':
    'name | string, number oder boolean | Beschreibung | Beispiel | Vorgabe; „none“ für keine',
  'agent tags': 'name | #farbe | Kriterium, mehrere mit ; dazwischen; „none“ für keine',
  'agent handover-message': 'Wird gesagt, wenn jemand einen Menschen sprechen möchte',
  'agent handover-start': 'Wird gesagt, wenn ein Mensch übernimmt',
  'agent handover-end': 'Wird gesagt, wenn der Mensch geht',
  'agent monitored':
    'Nachrichten, die nach einem Menschen fragen, mit ; dazwischen; „none“ für keine',
  'agent notifications': 'Ob Menschen benachrichtigt werden, wenn nach einem gefragt wird',
  'agent sound': 'Ob dabei ein Ton erklingt',
  'agent sources sources': 'Die Quellen, die er von nun an sieht, mit Komma dazwischen',

  chatbot: 'Chatbots, und welcher von ihnen wo antwortet',
  'chatbot create': 'Einen Chatbot anlegen',
  'chatbot list': 'Die Chatbots auflisten',
  'chatbot show': 'Alles über einen Chatbot zeigen',
  'chatbot update': 'Einen Chatbot ändern',
  'chatbot use': 'Den Chatbot wählen, der hier antwortet',
  'chatbot follow': 'Wählen, worauf in diesem Kanal geantwortet wird',
  'chatbot managers': 'Zeigen, wer hier verwaltet; Menschen und Gruppen benennen oder streichen',
  'chatbot audit': 'Den Kanal wählen, in dem jede Änderung gemeldet wird',
  'chatbot notify': 'Wählen, wer erfährt, dass jemand einen Menschen sprechen möchte',
  'chatbot delete': 'Einen Chatbot mit allem löschen, was zu ihm gehört',
  'chatbot name': 'Der Chatbot, mit seinem Namen',
  'chatbot name or here': 'Der Chatbot, mit seinem Namen; ohne Angabe der, der hier antwortet',
  'chatbot new name': 'Wie der Chatbot heißt',
  'chatbot visibility': 'Wer seine Seite sieht: sein Besitzer, alle, oder nur einbettende Seiten',
  'chatbot messages': 'Höchstzahl der Nachrichten in der Zeit der Begrenzung',
  'chatbot seconds': 'Die Zeit der Begrenzung, in Sekunden',
  'chatbot message': 'Wird gesagt, wenn die Begrenzung überschritten ist',
  'chatbot citations': 'Ob Antworten ihre Quellen zeigen',
  'chatbot where': 'Nur in diesem Kanal oder im ganzen Arbeitsbereich',
  'chatbot how': 'Erwähnungen; auch alles in begonnenen Threads; oder jede Nachricht',
  'chatbot manager person': 'Jemand, der von nun an verwaltet',
  'chatbot manager group': 'Eine Gruppe, die von nun an verwaltet',
  'chatbot manager remove': 'Die Person oder Gruppe nicht mehr verwalten lassen',
  'chatbot audit channel': 'Der Kanal; ohne Angabe wird der jetzige gezeigt',
  'chatbot audit off': 'Änderungen in keinem Kanal melden',
  'chatbot notify channel': 'Ein Kanal, der es erfährt',
  'chatbot notify person': 'Jemand, der gerufen wird',
  'chatbot notify remove': 'Den Kanal oder die Person nicht mehr benachrichtigen',

  session: 'Chatsitzungen: was in Threads gefragt und geantwortet wurde',
  'session new':
    'Eine neue Sitzung beginnen: in diesem Thread, oder mit einer Frage in einem neuen',
  'session list': 'Die Sitzungen auflisten',
  'session show': 'Die Nachrichten einer Sitzung zeigen',
  'session export': 'Die Nachrichten einer Sitzung als Datei erhalten',
  'session stop': 'Die Antwort anhalten, die gerade geschrieben wird',
  'session retry': 'Die letzte Frage noch einmal stellen',
  'session resume': 'Den Bot nach einem Menschen wieder antworten lassen',
  'session delete': 'Eine Sitzung mit ihren Nachrichten löschen',
  'session question': 'Was in einem neuen Thread zu fragen ist',
  'session from': 'An diesem Tag oder später begonnen, etwa 12.09.2026 oder heute',
  'session to': 'An diesem Tag oder früher begonnen, etwa 12.09.2026 oder heute',
  'session name or here': 'Die Sitzung, mit ihrer Kennung; ohne Angabe die dieses Threads',
  'session format': 'Markdown zum Lesen, oder JSON mit allem',

  help: 'Was du hier tun kannst',
  'help command': 'Nur dieser Befehl',
};

/** The labels of options in forms. */
const labels = {
  agent: 'Agent',
  'all-sources': 'Alle Quellen',
  answer: 'Antwort',
  channel: 'Kanal',
  chatbot: 'Chatbot',
  citations: 'Zeigt Quellen',
  color: 'Farbe',
  command: 'Befehl',
  description: 'Beschreibung',
  file: 'Datei',
  filter: 'Filter',
  format: 'Format',
  from: 'Von',
  group: 'Gruppe',
  'handover-end': 'Wenn der Mensch geht',
  'handover-message': 'Wenn jemand nach einem Menschen fragt',
  'handover-start': 'Wenn ein Mensch übernimmt',
  how: 'Wie',
  link: 'Verweis',
  message: 'Nachricht',
  messages: 'Nachrichten',
  model: 'Modell',
  monitored: 'Was nach einem Menschen fragt',
  name: 'Name',
  notifications: 'Benachrichtigungen',
  off: 'Aus',
  page: 'Seite',
  person: 'Person',
  prompt: 'Anweisung',
  question: 'Frage',
  remove: 'Herausnehmen',
  seconds: 'Sekunden',
  session: 'Sitzung',
  sound: 'Ton',
  source: 'Quelle',
  sources: 'Quellen',
  status: 'Zustand',
  tag: 'Schlagwort',
  tags: 'Schlagwörter',
  temperature: 'Temperatur',
  title: 'Titel',
  to: 'Bis',
  type: 'Art',
  url: 'Adresse',
  variables: 'Variablen',
  visibility: 'Sichtbarkeit',
  where: 'Wo',
};

/** The labels of choices. */
const choices = {
  yes: 'ja',
  no: 'nein',
  ready: 'bereit',
  waiting: 'in Arbeit',
  failed: 'fehlgeschlagen',
  private: 'privat',
  public: 'öffentlich',
  hybrid: 'nur eingebettet',
  channel: 'dieser Kanal',
  workspace: 'der ganze Arbeitsbereich',
  mentions: 'Erwähnungen',
  threads: 'Threads',
  everything: 'alles',
  'user-facing': 'antwortet Menschen',
  background: 'im Hintergrund',
  'human-escalation': 'übergibt an Menschen',
  'pre-canned': 'vorgefertigte Antworten',
  'spam-defense': 'wehrt Spam ab',
  markdown: 'Markdown',
  json: 'JSON',
};

/** The limits of a value, shown after its description. */
const limits = {
  range: (min: number, max: number) => `${min} bis ${max}`,
  files: (megabytes: number) => `je bis ${megabytes} MB`,
  characters: (most: number) => `bis ${most} Zeichen`,
};

const invalid: Messages['invalid'] = {
  noOption: (name) => `Eine Angabe „${name}“ gibt es hier nicht.`,
  missing: (name, description) => `**${name}** fehlt: ${description}.`,
  needed: 'Das wird gebraucht.',
  noText: 'Schreibe einen Text.',
  noFile: 'Wähle eine Datei.',
  tooManyFiles: (given, most) => `Das sind ${given} Dateien; höchstens ${most} gehen auf einmal.`,
  tooLong: (length, most) => `Das hat ${length} Zeichen; ${most} sind erlaubt.`,
  noNumber: (min, max, whole) =>
    `Gib eine ${whole ? 'ganze Zahl' : 'Zahl'} von ${min} bis ${max} an.`,
  noBoolean: 'Antworte mit ja oder nein.',
  noChoice: (choices) => `Wähle ${or(choices)}.`,
  noColor: (names) => `Gib eine Farbe wie #1f2937 an, oder ${or(names)}.`,
  noChannel: 'Wähle einen Kanal: Schreibe # und nimm ihn aus der Liste.',
  noPerson: 'Wähle eine Person, die ich hier sehe: Schreibe @ und nimm sie aus der Liste.',
  noGroup:
    'Wähle eine Gruppe, die ich sehe: in Slack eine Nutzergruppe, in Discord eine Rolle außer @everyone.',
  noDate: 'Gib einen Tag wie 12.09.2026, heute oder gestern an.',
  unknownName: (kind, name) => `Es gibt hier ${kinds[kind].none} namens „${name}“.`,
};

const failures: Messages['failures'] = {
  unauthorized: () =>
    'Der Chatbot-Dienst lehnt meinen Schlüssel ab. Wer diesen Bot betreibt, muss CHATBOT_API_KEY prüfen.',
  not_found: () =>
    'Der Chatbot-Dienst kennt nicht mehr, wonach ich gefragt habe. Vielleicht wurde es dort gelöscht.',
  invalid: (message) => `Der Chatbot-Dienst hat das nicht angenommen; er sagt: „${message}“`,
  too_large: (message) => `Das ist dem Chatbot-Dienst zu groß; er sagt: „${message}“`,
  unsupported_type: (message) =>
    `Diese Art von Datei nimmt der Chatbot-Dienst nicht; er sagt: „${message}“`,
  conflict: () => 'Der Chatbot hat das schon.',
  rate_limited: (_, seconds) =>
    seconds > 0
      ? `Der Chatbot-Dienst bekommt zu viele Anfragen. Bitte versuche es in ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })} noch einmal.`
      : 'Der Chatbot-Dienst bekommt zu viele Anfragen. Bitte versuche es gleich noch einmal.',
  unavailable: () =>
    'Ich erreiche den Chatbot-Dienst gerade nicht. Bitte versuche es gleich noch einmal.',
  timeout: () =>
    'Der Chatbot-Dienst hat zu lange für eine Antwort gebraucht. Bitte versuche es noch einmal.',
  interrupted: () => 'Die Antwort brach vor ihrem Ende ab. Bitte frage noch einmal.',
  protocol: () =>
    'Der Chatbot-Dienst gab eine Antwort, die ich nicht lesen kann. Bitte versuche es noch einmal; wenn es dabei bleibt, sage es denen, die diesen Bot betreiben.',
  aborted: () => 'Das wurde angehalten, bevor es fertig war.',
  other:
    'Bei mir ist etwas schiefgegangen. Bitte versuche es noch einmal; wenn es dabei bleibt, finden die Betreiber dieses Bots den Grund in seinem Protokoll.',
};

const forms: Messages['forms'] = {
  send: 'Senden',
  cancel: 'Abbrechen',
  outdated: 'Dieses Formular ist veraltet. Bitte nutze den Befehl noch einmal.',
  notOpened: (reason) =>
    `Das Formular ging nicht auf. Bitte nutze den Befehl noch einmal. (${reason})`,
  more: 'Weitere Felder',
  noFiles: 'Diese Nachricht hat keine Dateien.',
  tooManyFiles: (given, most) =>
    `Diese Nachricht hat ${given} Dateien; höchstens ${most} gehen auf einmal.`,
};

const places: Messages['places'] = {
  asks: (name) => `${name} fragt`,
  notThere:
    'In dem Kanal, in dem du den Befehl verwendet hast, kann ich nicht schreiben. Darum antworte ich dir hier.',
  filesSent: 'Ich habe dir die Datei in einer Direktnachricht gesendet.',
  cut: '… der Rest passt nicht in eine Nachricht.',
};

const source: Messages['source'] = {
  ready: (name, tokens, size) => `${name} ist bereit: ${tokens} Tokens, ${size}`,
  failed: (name, reason, retry) =>
    `${name} konnte nicht hinzugefügt werden: ${reason}. Behebe das und verwende ${retry}, oder lösche die Quelle.`,
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
      ? count(all, { one: 'Quelle', other: 'Quellen' })
      : `${shown} von ${count(all, { one: 'Quelle', other: 'Quellen' })}`,
  noneFailed: 'Keine dieser Quellen ist fehlgeschlagen.',
  noPage: 'das ist keine Webseite',
  tagged: (names, tag, all) =>
    `${names} → **${tag}**, jetzt mit ${count(all, { one: 'Quelle', other: 'Quellen' })}.`,
  untagged: (names, tag, all) =>
    `${names} aus **${tag}** herausgenommen, jetzt mit ${count(all, { one: 'Quelle', other: 'Quellen' })}.`,
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

const tag: Messages['tag'] = {
  created: (line) => `Angelegt: ${line}`,
  none: (create) => `Es gibt noch keine Schlagwörter. Lege eines mit ${create} an.`,
  count: (number) => count(number, { one: 'Schlagwort', other: 'Schlagwörter' }),
  sources: (number) => count(number, { one: 'Quelle', other: 'Quellen' }),
  deleteAsk: (name, sources) =>
    `Das Schlagwort **${name}** endgültig löschen? ${sources === 1 ? 'Die Quelle darin bleibt.' : `Die ${sources} Quellen darin bleiben.`}`,
};

const agent: Messages['agent'] = {
  enabled: 'angeschaltet',
  disabled: 'abgeschaltet',
  allSources: 'alle',
  noSources: 'keine',
  count: (number) => count(number, { one: 'Agent', other: 'Agenten' }),
  created: (name, enable) =>
    `${name} wurde angelegt und ist abgeschaltet. ${enable} lässt ihn antworten.`,
  deleteAsk: (name, isLast) =>
    `Den Agenten ${name} mit seiner Anweisung und seinen Einstellungen endgültig löschen?${isLast ? ' Es ist der letzte, der Menschen antwortet: Ohne ihn antwortet der Chatbot nicht.' : ''} Die Quellen bleiben.`,
  sourcesOrAll: 'Nenne die Quellen, die der Agent sieht, oder dass er alle sieht.',
  wrongTag: (piece) =>
    `„${piece}“ ist kein Schlagwort. Schreibe \`name | #1f2937 | Kriterium\`, mehrere mit Zeilenumbruch oder ; dazwischen.`,
  wrongVariable: (piece) =>
    `„${piece}“ ist keine Variable. Schreibe \`name | string | Beschreibung | Beispiel | Vorgabe\`, mehrere mit Zeilenumbruch oder ; dazwischen. Die Art ist string, number oder boolean.`,
};

const chatbot: Messages['chatbot'] = {
  created: (name, use) =>
    `${name} wurde angelegt, mit seinem Agenten General Q&A. ${use} lässt ihn hier antworten.`,
  count: (number) => count(number, { one: 'Chatbot', other: 'Chatbots' }),
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
      `Den Chatbot ${name} endgültig löschen? Mit ihm gehen ${count(what.sources, { one: 'Quelle', other: 'Quellen' })}, ${count(what.tags, { one: 'Schlagwort', other: 'Schlagwörter' })}, ${count(what.agents, { one: 'Agent', other: 'Agenten' })} und ${count(what.sessions, { one: 'Sitzung', other: 'Sitzungen' })} mit ihren Nachrichten.`,
      what.places > 0
        ? `Er wurde für ${count(what.places, { one: 'Kanal oder Arbeitsbereich', other: 'Kanäle und Arbeitsbereiche' })} gewählt, wo dann wieder der des Arbeitsbereichs oder sonst der übliche antwortet.`
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
    `${count(messages, { one: 'Nachricht', other: 'Nachrichten' })} in ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })}`,
};

const session: Messages['session'] = {
  noneHere: (list) =>
    `Dies ist kein Thread mit einer Sitzung. Nenne eine mit ihrer Kennung: ${list} zeigt sie.`,
  elsewhere:
    'Diese Sitzung gehört zu einem anderen Kanal oder zu keinem, den ich kenne. Du kannst die dieses Kanals sehen; Verwalter sehen alle dieses Arbeitsbereichs.',
  count: (number) => count(number, { one: 'Sitzung', other: 'Sitzungen' }),
  inThisChannel: 'in diesem Kanal',
  messages: (number) => count(number, { one: 'Nachricht', other: 'Nachrichten' }),
  exported: (number) =>
    `Hier ${number === 1 ? 'ist' : 'sind'} ${count(number, { one: 'Nachricht', other: 'Nachrichten' })} als Datei.`,
  notOurs: 'Kein Thread, den ich kenne, setzt diese Sitzung fort.',
  stopped: 'Angehalten.',
  retried: 'Ich habe die letzte Frage noch einmal beantwortet, in ihrem Thread.',
  resumed: 'Ich antworte in diesem Thread wieder.',
  withPeople: (askedBy) => `bei Menschen, gerufen von ${askedBy}`,
  deleteAsk: (session, messages) =>
    `Die Sitzung ${session} mit ${count(messages, { one: 'Nachricht', other: 'Nachrichten' })} endgültig löschen? Was im Thread steht, bleibt; die nächste Nachricht dort beginnt eine neue Sitzung.`,
  askAnew:
    'Jeder Thread ist eine eigene Sitzung: Erwähne mich mit einer Frage oder gib hier eine an, und ich antworte in einem neuen Thread.',
  started: 'Dieser Thread beginnt neu: Ich habe vergessen, was hier vorher gesagt wurde.',
  title: (session) => `Sitzung ${session}`,
};

const slackApps = 'https://api.slack.com/apps unter „OAuth & Permissions“';
const grant =
  'Wer den Server verwaltet, kann es mir in den Einstellungen des Kanals unter „Berechtigungen“ geben.';

const resources: Record<Resource, Noun & { none: string }> = {
  chatbot: { one: 'Chatbot', other: 'Chatbots', none: 'Einen Chatbot' },
  agent: { one: 'Agent', other: 'Agenten', none: 'Einen Agenten' },
  source: { one: 'Quelle', other: 'Quellen', none: 'Eine Quelle' },
  tag: { one: 'Schlagwort', other: 'Schlagwörter', none: 'Ein Schlagwort' },
  session: { one: 'Sitzung', other: 'Sitzungen', none: 'Eine Sitzung' },
  message: { one: 'Nachricht', other: 'Nachrichten', none: 'Eine Nachricht' },
  document: { one: 'Dokument', other: 'Dokumente', none: 'Ein Dokument' },
};

function toRequirement(fault: FieldFault): string {
  switch (fault.rule) {
    case 'unknown':
      return 'ist hier kein Feld: Lass es weg';
    case 'required':
      return `fehlt (${fault.expected})`;
    case 'type':
      return `muss vom Typ ${fault.expected} sein`;
    case 'choice':
      return `muss eines von ${fault.values.join(', ')} sein`;
    case 'max':
    case 'min': {
      const { rule, limit, unit } = fault;
      const noun = { characters: ' Zeichen lang', items: ' Einträge lang' };
      return `muss ${rule === 'max' ? 'höchstens' : 'mindestens'} ${limit}${unit ? noun[unit] : ''} sein`;
    }
    case 'other':
      return fault.text;
  }
}

const problems: Messages['problems'] = {
  // Jede Plattform
  platform_unreachable: ({ platform }) =>
    `Ich habe ${platform} nicht erreicht. Bitte versuche es gleich noch einmal.`,
  platform_unavailable: ({ platform, status }) =>
    `${platform} hat gerade Schwierigkeiten (HTTP ${status}). Bitte versuche es gleich noch einmal.`,
  platform_busy: ({ platform }) =>
    `Ich sende zu viele Nachrichten an ${platform}. Bitte versuche es gleich noch einmal.`,
  platform_refused: ({ platform, reason }) => `${platform} hat das abgelehnt (${reason}).`,
  platform_silent: ({ platform }) => `Auf ${platform} kann ich gerade niemanden benachrichtigen.`,
  message_gone: 'Die Nachricht gibt es nicht mehr.',
  thread_gone: 'Den Thread gibt es nicht mehr.',
  channel_gone: 'Den Kanal oder Thread gibt es nicht mehr.',
  person_unknown: ({ platform }) => `${platform} kennt diese Person nicht.`,
  channel_archived: 'Der Kanal ist archiviert.',
  thread_archived: 'Der Thread ist archiviert.',
  thread_locked: 'Der Thread ist gesperrt. Wer moderiert, kann ihn entsperren.',
  answer_expired: 'Es ist zu spät, um auf diesen Befehl zu antworten.',
  channel_hidden:
    'Ich sehe diesen Kanal nicht. Frage in einem Kanal, in dem ich Mitglied bin, oder lade mich ein.',

  // Dateien auf Plattformen
  file_gone: 'Diese Datei wurde gelöscht.',
  file_unreadable: ({ platform }) =>
    `Ich konnte die Datei nicht von ${platform} lesen. Bitte versuche es noch einmal.`,
  file_refused: ({ platform, status }) =>
    `${platform} hat mir die Datei nicht gegeben (HTTP ${status}).`,
  file_elsewhere: ({ platform, host }) =>
    `${platform} verweist für diese Datei auf ${host}, und ich lese Dateien nur von ${platform} selbst.`,
  file_over_limit: ({ megabytes }) =>
    `Diese Datei ist größer als ${megabytes} MB; mehr ist nicht erlaubt.`,
  file_not_taken: ({ platform, status }) =>
    `${platform} hat die Datei nicht angenommen (HTTP ${status}).`,
  file_too_large: ({ platform }) => `Die Datei ist für ${platform} zu groß.`,

  // Slack
  slack_channel_hidden:
    'Slack zeigt mir diesen Kanal nicht. Lade mich mit „/invite“ und meinem Namen ein.',
  slack_not_in_channel:
    'Ich bin in diesem Kanal kein Mitglied. Lade mich mit „/invite“ und meinem Namen ein.',
  slack_file_hidden:
    'Slack zeigt mir die Datei nicht. Sie wurde gelöscht oder dort geteilt, wo ich kein Mitglied bin.',
  slack_file_external:
    'Diese Datei liegt nicht in Slack. Lade sie herunter und lade dann die Kopie hoch.',
  slack_file_over_storage:
    'Slack verbirgt diese Datei, weil der Speicherplatz des Arbeitsbereichs aufgebraucht ist.',
  slack_file_nowhere: 'Slack sagt nicht, wo diese Datei liegt.',
  slack_file_redirects: 'Slack hat mich bei dieser Datei zu oft weitergeleitet.',
  slack_files_forbidden: `Slack lässt mich keine Dateien lesen. Wer diesen Bot betreibt, muss bei ${slackApps} files:read ergänzen und dann die App neu installieren.`,
  slack_edit_refused: 'Slack lässt mich diese Nachricht nicht ändern.',
  slack_delete_refused: 'Slack lässt mich diese Nachricht nicht löschen.',
  slack_edit_too_late:
    'Diese Nachricht ist zu alt, um in diesem Arbeitsbereich geändert zu werden.',
  slack_edit_streaming:
    'Slack lässt mich diese Nachricht nicht ändern, solange sie geschrieben wird.',
  slack_stream_ended: 'Slack hat das Schreiben dieser Nachricht beendet.',
  slack_stream_stopped: 'Das Schreiben dieser Nachricht wurde angehalten.',
  slack_stream_refused: 'Slack lässt mich Nachrichten nicht fortlaufend schreiben.',
  slack_token_refused: `Slack hat SLACK_BOT_TOKEN abgelehnt. Wer diesen Bot betreibt, muss das „Bot User OAuth Token“ (xoxb-…) bei ${slackApps} kopieren. Es ändert sich, wenn die App neu installiert wird.`,
  slack_token_not_bot: `SLACK_BOT_TOKEN ist nicht das Token eines Bots. Kopiere das „Bot User OAuth Token“ (xoxb-…) bei ${slackApps}.`,
  slack_app_token_refused: ({ reason }) =>
    `Slack hat SLACK_APP_TOKEN abgelehnt (${reason}). Lege bei https://api.slack.com/apps unter „Basic Information“ ein App-Level Token (xapp-…) mit dem Scope connections:write an.`,
  slack_scope_missing: ({ scope }) =>
    `Der Slack-App fehlt ${scope ? `der Scope ${scope}` : 'ein Scope, den Slack nicht nennt'}. Wer diesen Bot betreibt, muss ihn bei ${slackApps} ergänzen und dann die App neu installieren.`,
  slack_write_forbidden:
    'Slack lässt mich hier nicht schreiben. Admins des Arbeitsbereichs können das ändern.',
  slack_direct_messages_off:
    'Direktnachrichten an mich sind ausgeschaltet. Der Nachrichten-Tab lässt sich bei https://api.slack.com/apps unter „App Home“ einschalten.',
  slack_bot_direct: 'Bots können keine Direktnachrichten bekommen.',
  slack_person_deactivated: 'Das Konto dieser Person ist deaktiviert.',
  slack_message_too_long: 'Slack hat die Nachricht als zu lang abgelehnt.',

  // Discord
  discord_token_refused:
    'Discord hat DISCORD_TOKEN abgelehnt. Wer diesen Bot betreibt, muss das Token von https://discord.com/developers/applications unter „Bot“ kopieren oder dort zurücksetzen.',
  discord_intent_missing:
    'Discord lässt den Bot keine Nachrichten lesen. Schalte bei https://discord.com/developers/applications unter „Bot“ den „Message Content Intent“ ein und starte neu.',
  discord_gateway_closed: ({ code }) =>
    `Discords Gateway hat die Verbindung endgültig beendet (${code}).`,
  discord_forbidden: 'Discord lässt mich das hier nicht tun.',
  discord_not_author: 'Eine Nachricht kann nur ändern, wer sie geschrieben hat.',
  discord_edit_too_often: 'Discord lässt mich eine so alte Nachricht nicht so oft ändern.',
  discord_abuse: 'Discords Schutz vor Missbrauch hat die Nachricht abgelehnt.',
  discord_direct_refused:
    'Ich kann dir keine Direktnachrichten senden. Erlaube sie in deinen Privatsphäre-Einstellungen für diesen Server, oder hebe die Blockierung auf.',
  discord_auto_mod:
    'Der AutoMod des Servers hat meine Nachricht abgelehnt. Wer moderiert, kann seine Regeln ändern.',
  discord_permission_missing: ({ permission, channel }) =>
    `Mir fehlt ${channel ? '' : 'hier '}das Recht „${permission}“${channel ? ` in #${channel}` : ''}. ${grant}`,
  discord_permissions_needed: ({ permissions, channel }) =>
    `Mir fehlt ${channel ? `in #${channel}` : 'hier'} ein Recht: Ich brauche ${and(permissions.map((name) => `„${name}“`))}. ${grant}`,

  // Getippte Befehle
  no_action: ({ name }) => `„${name}“ gibt es hier nicht.`,
  no_option: ({ name }) => `Eine Option --${name} gibt es hier nicht.`,
  no_value: ({ name }) => `--${name} braucht einen Wert.`,
  surplus_text: ({ text }) => `Ich weiß nicht, was ich mit „${text}“ tun soll.`,

  // Was der Dienst ablehnt
  api_key_unknown: 'Der API-Schlüssel fehlt oder ist unbekannt: Sende Authorization: Bearer <key>',
  api_key_busy: ({ seconds }) =>
    `Zu viele Anfragen mit diesem Schlüssel: Warte ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })}`,
  path_unknown: ({ method, path }) => `${method} ${path} gibt es nicht`,
  method_not_allowed: ({ allowed }) => `Dieser Pfad nimmt nur ${allowed.join(', ')}`,
  service_failed: ({ request }) =>
    `Der Dienst ist gescheitert. Sein Protokoll sagt mehr über die Anfrage ${request}`,
  service_stopping: 'Der Dienst wird gerade beendet: Frage in Kürze noch einmal',
  fields_invalid: ({ faults }) =>
    faults.map((fault) => `${fault.field}: ${toRequirement(fault)}`).join('; '),
  resource_unknown: ({ noun, uuid }) =>
    `${resources[noun].none} ${uuid} gibt es nicht: Prüfe die Kennung`,
  resource_limit: ({ noun, count: number }) =>
    `Es gibt schon ${count(number, resources[noun])}, mehr sind nicht erlaubt: Lösche welche`,
  source_foreign: ({ uuid }) =>
    `data_source_uuids: Dieser Chatbot hat keine Quelle ${uuid}: Nenne nur seine eigenen`,
  tag_foreign: ({ uuid }) =>
    `source_tag_uuids: Dieser Chatbot hat kein Schlagwort ${uuid}: Nenne nur seine eigenen`,
  document_unknown: ({ uuid }) =>
    `session_document_uuids: Es gibt kein Dokument ${uuid}: Lade es zuerst hoch`,
  source_exists: ({ name, uuid }) =>
    `Dieser Chatbot hat ${name} schon, als Quelle ${uuid}: Lösche sie zuerst, um sie neu hinzuzufügen`,
  agent_exists: ({ type }) =>
    `type: Dieser Chatbot hat schon seinen einen Agenten der Art ${type}: Ändere diesen`,
  variables_unfit: ({ type }) =>
    `variables: Nur Agenten der Art user-facing haben Variablen, und dieser ist ${type}`,
  tags_unfit: ({ type }) =>
    `tags: Nur Agenten der Art background haben Schlagwörter, und dieser ist ${type}`,
  url_invalid: 'url: muss eine Adresse wie https://example.com/page sein',
  url_has_password: 'url: darf weder Benutzernamen noch Passwort enthalten: Lass sie weg',
  meta_invalid:
    'meta_json: muss ein JSON-Objekt wie {"reference_source_link": "https://example.com/page"} sein',
  body_not_json: 'Die Anfrage muss JSON sein: Sende Content-Type: application/json',
  body_malformed: 'Die Anfrage ist kein gültiges JSON: Sende ein Objekt wie {"name": "value"}',
  body_incomplete: 'Die Anfrage kam nicht ganz an: Sende sie noch einmal',
  body_late: ({ seconds }) =>
    `Die Anfrage kam nicht innerhalb von ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })} an: Sende sie noch einmal`,
  body_not_utf8: 'Die Anfrage ist nicht UTF-8: Sende sie als UTF-8',
  body_too_large: 'Die Anfrage ist zu groß: JSON darf bis zu 1 MiB haben',
  form_not_multipart: 'Die Anfrage muss ein Formular (multipart) mit der Datei in „file“ sein',
  form_malformed:
    'Das Formular ist beschädigt oder kam nicht ganz an: Sende multipart/form-data mit einer Grenze und der Datei in „file“',
  form_empty: 'file: fehlt: Das Formular ist leer',
  form_field_too_large: ({ field }) => `${field}: darf höchstens 16 KiB haben: Kürze es`,
  upload_missing: 'file: fehlt: Sende die Datei im Formularfeld „file“',
  upload_empty: ({ name }) => `file: ${name} ist leer`,
  upload_too_large: ({ mebibytes }) =>
    `file: ist zu groß: bis zu ${mebibytes} MiB sind erlaubt, teile die Datei`,
  upload_refused: ({ name, kind }) =>
    `file: Diese Art von Datei ist nicht erlaubt (${name}: ${kind}). Sende ein Dokument mit Text`,
  upload_unreadable: ({ reason }) => `file: ${reason}`,
  client_left: 'Die Anfrage wurde zurückgezogen, bevor sie angenommen war',
};

const answers: Messages['answers'] = {
  nothing:
    'Dazu habe ich in meinen Quellen keine Antwort gefunden. Frag mit anderen Worten, oder füge eine Quelle hinzu, die davon handelt.',
  near: (places) =>
    `Dazu habe ich in meinen Quellen keine Antwort gefunden. Am nächsten kommt ihr ${and(places)}: Frag danach, oder füge eine Quelle hinzu, die davon handelt.`,
};

const thread: Messages['thread'] = {
  greeting:
    'Hallo! Stelle mir eine Frage, und ich antworte hier mit dem, was mir beigebracht wurde.',
  tooManyWaiting:
    'Ich beantworte hier noch frühere Fragen. Bitte frage noch einmal, wenn ich fertig bin.',
  questionEdited: 'Du hast deine Frage geändert.',
  emptyAnswer: 'Ich habe eine leere Antwort bekommen. Versuche es mit anderen Worten.',
  freshSession:
    'Der Chatbot-Dienst hat unser früheres Gespräch nicht mehr; deshalb ist dies ein neues.',
  usualChatbot:
    'Der Chatbot, der hier gewählt war, wurde gelöscht; deshalb antwortet jetzt der übliche.',
  cut: 'Diese Antwort wurde abgeschnitten, weil sie die maximale Länge erreicht hat.',
  attached:
    'Diese Antwort ist zu lang, um sie hier zu zeigen. Der ganze Text ist als Datei angehängt.',
  sources: (list) => `Quellen: ${list}`,
  noPassages: 'Diese Antwort zitiert keine Textstellen.',
  forgotten: 'Diese Antwort ist zu alt: Ich weiß nicht mehr, worum es ging.',
  stillAnswering: 'Ich antworte noch darauf. Halte das erst an, oder warte, bis es fertig ist.',
  nothingAsked: 'In diesem Thread wurde noch nichts gefragt.',
  nothingToStop: 'Hier gibt es nichts anzuhalten: Ich antworte gerade auf nichts.',
  notYoursToStop: (asker) =>
    `Diese Antwort können nur ${asker}, von wem die Frage ist, und Verwalter anhalten.`,
  thanks: {
    helpful: 'Danke! Ich habe notiert, dass diese Antwort hilfreich war.',
    unhelpful: 'Danke. Ich habe notiert, dass diese Antwort nicht hilfreich war.',
  },
  stopped: {
    restart: 'Ich wurde neu gestartet, bevor diese Antwort fertig war. Bitte frage noch einmal.',
    person: (name) => `Angehalten von ${name}.`,
    removed: 'Angehalten, weil die Frage gelöscht wurde.',
  },
  buttons: {
    stop: 'Anhalten',
    retry: 'Noch einmal versuchen',
    answerAgain: 'Neu antworten',
    passages: 'Textstellen zeigen',
    helpful: 'Hilfreich',
    unhelpful: 'Nicht hilfreich',
    person: 'Mit einem Menschen sprechen',
    resume: 'Bot wieder antworten lassen',
  },
};

const handOver: Messages['handOver'] = {
  requested:
    'Du hast nach einem Menschen gefragt. Darum bin ich in diesem Thread still, bis ihr fertig seid.',
  started: 'Jetzt ist ein Mensch da.',
  ended: 'Ich antworte hier wieder.',
  hint: `In diesem Thread helfen jetzt Menschen, darum bin ich still. Ich antworte wieder, sobald jemand auf „${thread.buttons.resume}“ drückt.`,
  lapsed: 'Die Übergabe ist abgelaufen, darum antworte ich in diesem Thread wieder.',
  alreadyRequested: 'Hier wurde schon nach einem Menschen gefragt, darum bin ich still.',
  nobodyTold:
    'Ich konnte niemandem sagen, dass hier ein Mensch gebraucht wird. Verwalter legen mit `/chatbot notify` fest, wer es erfährt.',
  toldBefore:
    'Vor ein paar Minuten wurden schon Menschen benachrichtigt, darum habe ich es nicht noch einmal getan.',
  noneFromHere:
    'Aus dieser Direktnachricht erreiche ich niemanden. Bitte frage in einem Kanal, in dem ich bin, nach einem Menschen.',
  noThread:
    'Hier kann ich nicht an Menschen übergeben: Ich kann keinen Thread öffnen und wäre im ganzen Kanal still. Bitte frage in einem Thread oder in einem anderen Kanal nach einem Menschen.',
  notOffered: 'Hier wird nicht mehr angeboten, mit einem Menschen zu sprechen.',
  notHandedOver: 'Ich antworte hier schon: In diesem Thread helfen keine Menschen.',
  notYoursToEnd: ({ askedBy, onBehalfOf, takenBy }) => {
    const people = [
      `${askedBy}, von wem die Bitte um einen Menschen kam,`,
      ...(onBehalfOf ? [`${onBehalfOf}, von wem die Frage kam,`] : []),
      ...(takenBy ? [`${takenBy}, wer zu Hilfe kam,`] : []),
    ];
    return `Nur ${people.join(' ')} und Verwalter können mich hier wieder antworten lassen.`;
  },
  notice: {
    asks: (name) => `🙋 ${name} möchte mit einem Menschen sprechen.`,
    asksFor: (name, whom) => `🙋 ${name} bittet für ${whom} um einen Menschen.`,
    open: (link) => `[Thread öffnen](${link})`,
    noLink: 'Ich habe keinen Link zum Gespräch; bitte schreibe direkt.',
  },
};

/** What commands say in German. */
export const messages: Messages = {
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

  invalid,
  problems,
  thread,
  handOver,
  answers,
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
