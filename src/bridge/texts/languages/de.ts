import { createFormats, formatDay, type Noun } from '../../../shared/problems/formats.ts';
import type { Texts } from '../texts.ts';
import type {
  ArchiveExcess,
  FieldFault,
  RefusedKind,
  Resource,
} from '../../../shared/problems/english.ts';

const { and, count, number, or, size } = createFormats('de');

const kinds = {
  source: { the: 'Die Quelle', none: 'keine Quelle', several: 'mehrere Quellen' },
  tag: { the: 'Das Schlagwort', none: 'kein Schlagwort', several: 'mehrere Schlagwörter' },
  agent: { the: 'Der Agent', none: 'keinen Agenten', several: 'mehrere Agenten' },
  chatbot: { the: 'Der Chatbot', none: 'keinen Chatbot', several: 'mehrere Chatbots' },
  session: { the: 'Die Sitzung', none: 'keine Sitzung', several: 'mehrere Sitzungen' },
  gap: { the: 'Die offene Frage', none: 'keine offene Frage', several: 'mehrere offene Fragen' },
};

/** What commands and their options do, at most 100 characters each: Discord's limit. */
const descriptions: Texts['descriptions'] = {
  page: 'Seite, die angezeigt wird',
  color: 'Eine Farbe wie #1f2937 oder ein englischer Name wie teal',

  ask: 'Dem Chatbot eine Frage stellen; er antwortet in einem Thread',
  'ask question': 'Was du wissen möchtest',
  'ask private': 'Ob nur du die Frage und ihre Antwort siehst',
  'ask shortcut': 'Danach fragen (nur ich)',

  source: 'Was der Chatbot weiß: Quellen hinzufügen, auflisten, umbenennen und löschen',
  'source upload': 'Dem Chatbot Dateien als Quellen geben',
  'source upload shortcut': 'Als Quellen hinzufügen',
  'source url': 'Dem Chatbot Webseiten als Quellen geben',
  'source answering':
    'Eine offene Frage beantworten: Ich lerne die Antwort und beantworte die Frage neu',
  'source answering gap': 'Frage ohne hilfreiche Antwort; /gaps zeigt sie',
  'source answering question': 'Frage, die ich lerne; leer lassen für die gestellte',
  'source qa': 'Dem Chatbot die Antwort auf eine Frage beibringen',
  'source list': 'Quellen auflisten',
  'source show': 'Details einer Quelle anzeigen',
  'source rename': 'Eine Quelle umbenennen',
  'source delete': 'Quellen löschen',
  'source refresh': 'Webseiten neu abrufen',
  'source retry': 'Fehlgeschlagene Quellen erneut hinzufügen',
  'source tag': 'Quellen ein Schlagwort geben oder es wieder entfernen',
  'source file': 'Text, Markdown, HTML, PDF, Word, Excel, CSV oder andere Dokumente',
  'source link': 'Link für Zitate daraus, beginnt mit https://',
  'source urls': 'Bis zu 20 Adressen, die mit https:// beginnen, durch Leerzeichen getrennt',
  'source question': 'Die Frage',
  'source answer': 'Die Antwort',
  'source filter': 'Nur Quellen mit diesem Text im Namen',
  'source status': 'Nur Quellen mit diesem Status',
  'source list tag': 'Nur Quellen mit diesem Schlagwort',
  'source name': 'Name der Quelle',
  'source names': 'Namen der Quellen, durch Kommas getrennt',
  'source retry names':
    'Namen fehlgeschlagener Quellen, durch Kommas getrennt; leer lassen für alle',
  'source title': 'Neuer Titel der Quelle',
  'source tag tag': 'Name des Schlagworts',
  'source tag remove': 'Das Schlagwort von diesen Quellen entfernen',

  tag: 'Quellen mit Schlagwörtern gruppieren',
  'tag create': 'Ein Schlagwort anlegen',
  'tag list': 'Schlagwörter auflisten',
  'tag show': 'Details eines Schlagworts anzeigen',
  'tag update': 'Ein Schlagwort ändern',
  'tag delete': 'Ein Schlagwort löschen, seine Quellen aber behalten',
  'tag name': 'Name des Schlagworts',
  'tag new name': 'Name für das Schlagwort',
  'tag sources': 'Namen der Quellen für das Schlagwort, durch Kommas getrennt',
  'tag update sources':
    'Namen aller Quellen mit diesem Schlagwort, durch Kommas getrennt; ersetzt die bisherigen',

  agent: 'Agenten schreiben die Antworten, jeder mit eigenem Prompt, Modell und eigenen Quellen',
  'agent list': 'Agenten auflisten',
  'agent show': 'Details eines Agenten anzeigen',
  'agent create': 'Einen Agenten anlegen; er ist zunächst deaktiviert',
  'agent update': 'Einen Agenten ändern',
  'agent enable': 'Einen Agenten antworten lassen',
  'agent disable': 'Einen Agenten nicht mehr antworten lassen',
  'agent delete': 'Einen Agenten löschen',
  'agent sources': 'Auswählen, welche Quellen ein Agent nutzen darf',
  'agent name': 'Name des Agenten',
  'agent new name': 'Name für den Agenten',
  'agent type': 'Art des Agenten',
  'agent description': 'Wofür der Agent da ist; „none“ löscht den Text',
  'agent prompt': 'Anweisungen für die Antworten des Agenten',
  'agent model': 'Sprachmodell, so wie der Chatbot-Dienst es nennt',
  'agent temperature': 'Von 0 für gleichbleibende bis 1 für abwechslungsreiche Antworten',
  'agent all-sources': 'Ob der Agent alle Quellen nutzen darf',
  'agent variables':
    'name | string, number oder boolean | Beschreibung | Beispiel | Standard; „none“ löscht alle',
  'agent tags': 'name | #farbe | Kriterium; mehrere Schlagwörter mit ; trennen; „none“ löscht alle',
  'agent handover-message': 'Text, wenn jemand mit einem Menschen sprechen möchte',
  'agent handover-start': 'Text, wenn ein Mensch übernimmt',
  'agent handover-end': 'Text, wenn der Mensch wieder geht',
  'agent monitored':
    'Nachrichten, die einen Menschen anfordern, mit ; getrennt; „none“ löscht alle',
  'agent notifications': 'Ob jemand benachrichtigt wird, wenn ein Mensch gewünscht ist',
  'agent sound': 'Ob Benachrichtigungen einen Ton abspielen',
  'agent sources sources': 'Namen der Quellen, die der Agent nutzen darf, durch Kommas getrennt',

  chatbot: 'Chatbots verwalten und festlegen, welcher wo antwortet',
  'chatbot create': 'Einen Chatbot anlegen',
  'chatbot list': 'Chatbots auflisten',
  'chatbot show': 'Details eines Chatbots anzeigen',
  'chatbot update': 'Einen Chatbot ändern',
  'chatbot use': 'Festlegen, welcher Chatbot hier antwortet',
  'chatbot follow': 'Festlegen, welche Nachrichten in diesem Kanal beantwortet werden',
  'chatbot tags': 'Festlegen, was die Tags eines Forums bedeuten',
  'chatbot tags tag': 'Name des Tags; leer lassen, um alle zu sehen',
  'chatbot tags chatbot': 'Chatbot, der auf Beiträge mit diesem Tag antwortet',
  'chatbot tags means':
    'gelöst: wird gesetzt, wenn der Autor „Hilfreich“ drückt; nichts: ohne Bedeutung',
  'chatbot context':
    'Festlegen, ob ich bei Fragen außerhalb von Threads auch frühere Nachrichten lese',
  'chatbot context taken': 'Ob ich sie in diesem Kanal lese',
  'chatbot unsure':
    'Festlegen, was ich in diesem Kanal tue, wo die Quellen keine klare Antwort geben',
  'chatbot unsure way':
    'answer: es sagen; quiet: ohne Erwähnung nichts schreiben; silent: nie etwas schreiben',
  'chatbot unsure call': 'Ob dann benachrichtigt wird, wer bei „chatbot notify“ gewählt ist',
  'chatbot managers': 'Verwalter anzeigen, hinzufügen oder entfernen',
  'chatbot audit': 'Den Kanal festlegen, in dem Änderungen gemeldet werden',
  'chatbot share':
    'Einen Chatbot mit einem anderen Workspace teilen oder einen erhaltenen Code eingeben',
  'chatbot share chatbot': 'Chatbot, der geteilt werden soll',
  'chatbot share code': 'Code von einem Verwalter eines anderen Workspace',
  'chatbot share end': 'Den Chatbot mit keinem Workspace mehr teilen',
  'chatbot server': 'Den Server wählen, dessen Chatbot in dieser Direktnachricht antwortet',
  'chatbot server server': 'Name oder ID des Servers',
  'chatbot guests': 'Festlegen, ob Gäste und Personen aus anderen Workspaces fragen dürfen',
  'chatbot guests allowed': 'Ob sie in Kanälen fragen dürfen',
  'chatbot notify': 'Festlegen, wer benachrichtigt wird, wenn ein Mensch gewünscht ist',
  'chatbot delete': 'Einen Chatbot und alles, was dazugehört, löschen',
  'chatbot name': 'Name des Chatbots',
  'chatbot name or here': 'Name des Chatbots; leer lassen für den, der hier antwortet',
  'chatbot new name': 'Name für den Chatbot',
  'chatbot visibility':
    'Wer seine Seite sieht: nur der Besitzer, alle, oder nur einbettende Seiten',
  'chatbot messages': 'Nachrichtenlimit: Höchstzahl der Nachrichten',
  'chatbot seconds': 'Nachrichtenlimit: Zeitraum in Sekunden',
  'chatbot message': 'Text, wenn das Nachrichtenlimit überschritten ist',
  'chatbot citations': 'Ob Antworten ihre Quellen zeigen',
  'chatbot where': 'Nur in diesem Kanal oder im ganzen Workspace',
  'chatbot how':
    'Erwähnungen; auch Threads; auch Fragen; nur Beiträge, ohne Antworten darauf; oder alles',
  'chatbot manager person': 'Person, die Verwalter wird',
  'chatbot manager group': 'Gruppe, deren Mitglieder Verwalter werden',
  'chatbot manager remove': 'Diese Person oder Gruppe entfernen statt hinzufügen',
  'chatbot audit channel': 'Der Kanal; leer lassen, um den jetzigen zu sehen',
  'chatbot audit off': 'Änderungen nicht mehr melden',
  handover: 'Gespräche mit einem Menschen statt mit dem Bot ermöglichen',
  'handover on':
    'Gespräche mit einem Menschen anbieten und den Kanal wählen, der dann Bescheid bekommt',
  'handover off': 'Gespräche mit einem Menschen nicht mehr anbieten',
  'handover status': 'Zeigen, wie man nach einem Menschen fragt und wer Bescheid bekommt',
  'handover channel': 'Kanal, der Bescheid bekommt, wenn jemand nach einem Menschen fragt',
  'chatbot notify channel': 'Kanal, der benachrichtigt wird',
  'chatbot notify person': 'Person, die erwähnt wird',
  'chatbot notify remove': 'Diesen Kanal oder diese Person nicht mehr benachrichtigen',
  'chatbot access': 'Anzeigen und festlegen, wer fragen darf und wo',
  'chatbot access rule': 'Zulassen oder sperren; „clear“ hebt die Festlegung auf',
  'chatbot access person': 'Person, für die das gilt',
  'chatbot access group': 'Gruppe, für deren Mitglieder das gilt',
  'chatbot access channel': 'Kanal, für den das gilt',
  'chatbot access direct': 'Es gilt für Direktnachrichten mit mir',
  'chatbot access bot': 'ID eines Bots, Workflows oder Webhooks',
  'chatbot limits': 'Begrenzen, wie viele Fragen in 24 Stunden gestellt werden',
  'chatbot limits person': 'Fragen je Person; 0 für unbegrenzt',
  'chatbot limits channel': 'Fragen je Kanal; 0 für unbegrenzt',
  'chatbot limits workspace': 'Fragen im ganzen Workspace; 0 für unbegrenzt',

  session: 'Chatsitzungen: die Fragen und Antworten in Threads',
  'session new': 'Eine neue Sitzung beginnen: in diesem Thread oder, außerhalb, mit einer Frage',
  'session list': 'Sitzungen auflisten',
  'session show': 'Nachrichten einer Sitzung anzeigen',
  'session export': 'Nachrichten einer Sitzung als Datei exportieren',
  'session stop': 'Die laufende Antwort stoppen',
  'session retry': 'Die letzte Frage noch einmal stellen',
  'session resume': 'Den Bot nach einer Übergabe wieder antworten lassen',
  'session delete': 'Eine Sitzung und ihre Nachrichten löschen',
  'session forget': 'Auch die bisherige Sitzung mit ihren Nachrichten löschen',
  'session forget own': 'Alles löschen, was du mich gefragt hast, samt meinen Antworten',
  'session question': 'Frage, mit der die Sitzung beginnt',
  'session from': 'An diesem Tag oder später begonnen, etwa 12.09.2026 oder heute',
  'session to': 'An diesem Tag oder früher begonnen, etwa 12.09.2026 oder heute',
  'session name or here':
    'Erste Frage der Sitzung oder ihre ID; leer lassen für die dieses Threads',
  'session format': 'Markdown zum Lesen oder JSON mit allem',

  gaps: 'Fragen ohne hilfreiche Antwort anzeigen',

  help: 'Anzeigen, was du hier tun kannst',
  'help command': 'Befehl, der erklärt wird',
};

/** The titles of forms, where the description of the command is too long for one. */
const titles: Texts['titles'] = {
  ask: 'Frage stellen',
  'source upload': 'Dateien hinzufügen',
  'source url': 'Webseiten hinzufügen',
  'source answering': 'Frage beantworten',
  'source qa': 'Antwort beibringen',
  'source show': 'Quelle anzeigen',
  'source tag': 'Quellen verschlagworten',
  'tag show': 'Schlagwort anzeigen',
  'tag delete': 'Schlagwort löschen',
  'agent show': 'Agenten anzeigen',
  'agent create': 'Agenten anlegen',
  'agent enable': 'Agenten aktivieren',
  'agent disable': 'Agenten deaktivieren',
  'agent sources': 'Quellen eines Agenten',
  'chatbot delete': 'Chatbot löschen',
  'chatbot use': 'Chatbot wählen',
  'chatbot follow': 'Was beantwortet wird',
  'handover on': 'Übergabe einschalten',
};

/** The labels of options in forms. */
const labels = {
  gap: 'Offene Frage',
  private: 'Nur für mich',
  agent: 'Agent',
  'all-sources': 'Alle Quellen',
  answer: 'Antwort',
  channel: 'Kanal',
  chatbot: 'Chatbot',
  citations: 'Zeigt Quellen',
  color: 'Farbe',
  description: 'Beschreibung',
  file: 'Datei',
  'handover-end': 'Wenn der Mensch geht',
  'handover-message': 'Wenn jemand einen Menschen sprechen möchte',
  'handover-start': 'Wenn ein Mensch übernimmt',
  how: 'Wie',
  link: 'Link',
  message: 'Nachricht',
  messages: 'Nachrichten',
  model: 'Modell',
  monitored: 'Was einen Menschen anfordert',
  name: 'Name',
  notifications: 'Benachrichtigungen',
  prompt: 'Prompt',
  question: 'Frage',
  remove: 'Entfernen',
  seconds: 'Sekunden',
  sound: 'Ton',
  source: 'Quelle',
  sources: 'Quellen',
  tag: 'Schlagwort',
  tags: 'Schlagwörter',
  temperature: 'Temperatur',
  title: 'Titel',
  type: 'Art',
  url: 'Adresse',
  variables: 'Variablen',
  visibility: 'Sichtbarkeit',
  where: 'Wo',
};

/** The labels of choices. */
const choices = {
  allow: 'zulassen',
  block: 'sperren',
  clear: 'aufheben',
  answer: 'antworten',
  quiet: 'nur bei Erwähnung',
  silent: 'schweigen',
  on: 'an',
  off: 'aus',
  yes: 'ja',
  no: 'nein',
  ready: 'bereit',
  waiting: 'in Arbeit',
  failed: 'fehlgeschlagen',
  private: 'privat',
  public: 'öffentlich',
  hybrid: 'nur eingebettet',
  channel: 'dieser Kanal',
  workspace: 'der ganze Workspace',
  mentions: 'Erwähnungen',
  threads: 'Threads',
  questions: 'Fragen',
  posts: 'Beiträge',
  everything: 'alles',
  solved: 'gelöst',
  nothing: 'nichts',
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
  files: (bytes: number) => `bis ${size(bytes)} pro Datei`,
  characters: (max: number) => `bis ${max} Zeichen`,
};

const invalid: Texts['invalid'] = {
  noOption: (name) => `Die Option „${name}“ gibt es hier nicht.`,
  missing: (name, description) => `**${name}** fehlt: ${description}.`,
  needed: 'Dieses Feld ist erforderlich.',
  noText: 'Gib einen Text ein.',
  noFile: 'Wähle eine Datei.',
  tooManyFiles: (given, max) =>
    `Das sind ${given} Dateien; höchstens ${max} sind auf einmal möglich.`,
  tooLong: (length, max) => `Das sind ${length} Zeichen; höchstens ${max} sind erlaubt.`,
  noNumber: (min, max, whole) =>
    `Gib eine ${whole ? 'ganze Zahl' : 'Zahl'} von ${min} bis ${max} ein.`,
  noBoolean: 'Antworte mit ja oder nein.',
  noChoice: (choices) => `Wähle ${or(choices)}.`,
  noColor: (names) => `Gib eine Farbe wie #1f2937 ein oder ${or(names)}.`,
  noChannel: (text) => `Ich finde keinen Kanal „${text}“. Tippe # und nimm einen aus der Liste.`,
  noPerson: 'Wähle eine Person, die ich hier sehen kann: Tippe @ und nimm sie aus der Liste.',
  noGroup:
    'Wähle eine Gruppe, die ich sehen kann: in Slack eine Nutzergruppe, in Discord eine Rolle außer @everyone.',
  tooManyUrls: (given, max) =>
    `Das sind ${given} Adressen; höchstens ${max} sind auf einmal möglich.`,
  noUrl: (text) =>
    `„${text}“ ist keine Webadresse. Gib eine ein, die mit https:// beginnt, etwa https://example.com/handbook.`,
  urlWithPassword: 'Lass Benutzernamen und Passwort in der Adresse weg.',
  noDate: 'Gib einen Tag wie 12.09.2026, heute oder gestern ein.',
  unknownName: (kind, name) =>
    kind === 'gap'
      ? 'Diese Frage ist nicht offen: Jemand hat sie beantwortet oder ist dabei, sie wurde gelöscht, oder du kannst sie nicht lesen.'
      : `Es gibt hier ${kinds[kind].none} namens „${name}“.`,
};

const notSetUp =
  'Ich bin noch nicht fertig eingerichtet: Der Chatbot-Dienst nimmt meine Einstellungen nicht an. Die Betreiber dieses Bots wissen Bescheid.';

const failures: Texts['failures'] = {
  unauthorized: () => notSetUp,
  misconfigured: () => notSetUp,
  no_chatbot: () => 'Zu diesem Workspace gehört kein Chatbot, darum kann ich hier nicht antworten.',
  not_found: () =>
    'Der Chatbot-Dienst kennt nicht mehr, wonach ich gefragt habe. Vielleicht wurde es dort gelöscht.',
  invalid: (message) => `Der Chatbot-Dienst hat das nicht angenommen: ${message}`,
  too_large: (message) => `Das ist zu groß für den Chatbot-Dienst: ${message}`,
  unsupported_type: (message) =>
    `Diese Art von Datei nimmt der Chatbot-Dienst nicht an: ${message}`,
  conflict: () => 'Der Chatbot hat das schon.',
  rate_limited: (_, seconds) =>
    seconds > 0
      ? `Der Chatbot-Dienst bekommt zu viele Anfragen. Bitte versuche es in ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })} noch einmal.`
      : 'Der Chatbot-Dienst bekommt zu viele Anfragen. Bitte versuche es gleich noch einmal.',
  unavailable: () =>
    'Ich erreiche den Chatbot-Dienst gerade nicht. Bitte versuche es gleich noch einmal.',
  timeout: () =>
    'Der Chatbot-Dienst hat zu lange für eine Antwort gebraucht. Bitte versuche es noch einmal.',
  time_limit: () =>
    'Die Antwort hat länger gedauert, als hier erlaubt ist, darum habe ich sie beendet. Bitte versuche es noch einmal oder frage nach weniger auf einmal.',
  interrupted: () => 'Die Antwort ist abgebrochen. Bitte frage noch einmal.',
  protocol: () =>
    'Der Chatbot-Dienst hat eine Antwort geschickt, die ich nicht lesen kann. Bitte versuche es noch einmal; wenn das wieder passiert, sag den Betreibern dieses Bots Bescheid.',
  aborted: () => 'Das wurde gestoppt, bevor es fertig war.',
  other:
    'Bei mir ist etwas schiefgegangen. Bitte versuche es noch einmal; wenn das wieder passiert, finden die Betreiber dieses Bots den Grund in seinem Protokoll.',
  later:
    'Bei mir ist etwas schiefgegangen. Ich versuche es noch einige Minuten lang. Wenn keine Antwort kommt, frage bitte noch einmal; die Betreiber dieses Bots finden den Grund in seinem Protokoll.',
};

const forms: Texts['forms'] = {
  send: 'Senden',
  cancel: 'Abbrechen',
  outdated: 'Dieses Formular ist veraltet. Bitte verwende den Befehl noch einmal.',
  notOpened: (reason) =>
    `Das Formular hat sich nicht geöffnet. Bitte verwende den Befehl noch einmal. (${reason})`,
  more: 'Weitere Felder',
  again: 'Formular wieder öffnen',
  typed: 'Du hast eingegeben:',
  notAll: 'In ein Formular passen bei Discord fünf Felder. Die übrigen sind hier:',
  noFiles: 'Diese Nachricht hat keine Dateien.',
  noWords: 'Diese Nachricht hat keinen Text, nach dem du fragen könntest.',
  tooManyFiles: (given, max) =>
    `Diese Nachricht hat ${given} Dateien; höchstens ${max} sind auf einmal möglich.`,
};

const places: Texts['places'] = {
  asks: (name) => `${name} fragt`,
  notThere:
    'In dem Kanal, in dem du danach gefragt hast, kann ich nicht antworten. Darum antworte ich dir hier.',
  othersRead:
    'Ich antworte dir hier, weil in dem Kanal, in dem du danach gefragt hast, andere mitlesen.',
  filesSent:
    'Ich habe dir die Datei als Direktnachricht geschickt, weil nur dort niemand sonst sie sieht.',
  sentDirectly: (command) =>
    `Ich antworte dir in einer Direktnachricht, weil hier andere mitlesen. ${command} zeigt die Antwort gleich hier, nur dir.`,
  useSlash: (command) =>
    `Ich kann dir keine Direktnachricht schicken, und hier lesen andere mit. Verwende ${command}: Das zeigt die Antwort gleich hier, nur dir.`,
  cut: '… der Rest passt nicht in eine Nachricht.',
};

const source: Texts['source'] = {
  ready: (name, tokens, size) => `${name} ist bereit: ${tokens} Tokens, ${size}`,
  failed: (name, reason, retry) =>
    `${name} konnte nicht hinzugefügt werden: ${reason}. Behebe das und verwende ${retry}, oder lösche die Quelle.`,
  fileFailed: (name, reason, upload) =>
    `${name} konnte nicht hinzugefügt werden: ${reason}. ${upload} fügt die berichtigte Datei hinzu.`,
  urlFailed: (name, reason, { retry, url }) =>
    `${name} konnte nicht hinzugefügt werden: ${reason}. ${retry} versucht es mit dieser Adresse noch einmal, ${url} fügt eine andere hinzu.`,
  refreshFailed: (name, since, reason, retry) =>
    `${name} antwortet weiter mit dem Text vom ${since}. Die letzte Aktualisierung ist fehlgeschlagen: ${reason}. Mit ${retry} versuche ich es noch einmal.`,
  worksSince: (since, reason) =>
    `antwortet mit dem Text vom ${since}; die letzte Aktualisierung ist fehlgeschlagen: ${reason}`,
  worksMeanwhile: (since) => `(antwortet bis dahin mit dem Text vom ${since})`,
  states: { ready: 'bereit', failed: 'fehlgeschlagen' },
  types: { upload: 'Datei', link: 'Webseite', qa: 'Antwort' },
  stages: {
    waiting: 'in der Warteschlange',
    downloading: 'wird heruntergeladen',
    reading: 'wird gelesen',
    cutting: 'wird in Abschnitte geteilt',
    indexing: 'wird indexiert',
    finishing: 'wird abgeschlossen',
  },
  noStorage: 'der Speicher deines Tarifs ist aufgebraucht',
  noTokens: 'die Tokens deines Tarifs sind aufgebraucht',
  canAsk: 'Frag zum Beispiel danach:',
  statusSays: (status) => `der Dienst meldet „${status}“`,
  takesLong: (list) =>
    `Das dauert etwas länger. Ich sage dir Bescheid, wenn es fertig ist; ${list} zeigt den Fortschritt.`,
  takesTooLong: (list) =>
    `Das ist auch nach mehreren Stunden noch nicht fertig. ${list} zeigt den Fortschritt.`,
  goesOn: (list) => `Der Dienst arbeitet noch daran. ${list} zeigt den Fortschritt.`,
  notTold:
    'Dieser Dienst meldet keinen Fortschritt. Der Chatbot nutzt die Quelle, sobald sie bereit ist, meist nach wenigen Minuten.',
  passagesOf: (some, all) =>
    `${some} von ${count(all, { one: 'Abschnitt', other: 'Abschnitten' })}`,
  refusedPassages: (passages) =>
    `Der Embeddings-Server hat ${count(passages, { one: 'Abschnitt', other: 'Abschnitte' })} abgelehnt; die Suche findet ${passages === 1 ? 'ihn nur über seine' : 'sie nur über ihre'} Wörter.`,
  fileTooLarge: (size, max) =>
    `Diese Datei hat ${size}; erlaubt sind ${max} (UPLOAD_MAX_MB). Verkleinere oder teile sie, oder bitte die Betreiber dieses Bots, das Limit zu erhöhen.`,
  fileRefused: (size, refused) =>
    `Diese Datei hat ${size}, und der Chatbot-Dienst hat gerade eine von ${refused} als zu groß abgelehnt. Verkleinere oder teile sie.`,
  readyOf: (ready, all) => `${ready} von ${all} bereit`,
  adding: (who, name) => `${who} fügt ${name} hinzu …`,
  deletedMeanwhile: (name) => `${name} wurde gelöscht, bevor die Quelle bereit war.`,
  duplicate: 'schon eine Quelle',
  secondAsk: (question, answer) =>
    `Auf **${question}** gibt es schon eine Antwort:\n${answer}\n\nSoll es eine zweite geben? Der Chatbot nutzt dann beide.`,
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
    `${names} aus **${tag}** entfernt, jetzt mit ${count(all, { one: 'Quelle', other: 'Quellen' })}.`,
  amount: (tokens, size) => `${tokens} Tokens, ${size}`,
  deleteAsk: (number) =>
    number === 1 ? 'Diese Quelle endgültig löschen?' : `Diese ${number} Quellen endgültig löschen?`,
  deleteUsage: (tags, agents) =>
    [
      tags.length > 0 ? `Mit Schlagwort ${tags.join(', ')}.` : '',
      agents.length > 0 ? `Genutzt von ${agents.join(', ')}.` : '',
      'Der Chatbot antwortet dann nicht mehr damit.',
    ]
      .filter(Boolean)
      .join(' '),
  deleteLabel: (number) => (number === 1 ? 'Löschen' : `${number} Quellen löschen`),
};

const tag: Texts['tag'] = {
  created: (line) => `Angelegt: ${line}`,
  secondAsk: (name) => `Es gibt schon ein Schlagwort **${name}**. Soll es ein zweites geben?`,
  none: (create) => `Es gibt noch keine Schlagwörter. Lege eines mit ${create} an.`,
  count: (number) => count(number, { one: 'Schlagwort', other: 'Schlagwörter' }),
  sources: (number) => count(number, { one: 'Quelle', other: 'Quellen' }),
  deleteAsk: (name, sources) => {
    const stays = sources === 1 ? 'Seine Quelle bleibt.' : `Seine ${sources} Quellen bleiben.`;
    return `Das Schlagwort **${name}** endgültig löschen? ${sources === 0 ? 'Es hat keine Quellen.' : stays}`;
  },
};

const agent: Texts['agent'] = {
  enabled: 'aktiviert',
  disabled: 'deaktiviert',
  allSources: 'alle',
  noSources: 'keine',
  count: (number) => count(number, { one: 'Agent', other: 'Agenten' }),
  created: (name, enable) =>
    `${name} wurde angelegt und ist deaktiviert. ${enable} lässt ihn antworten.`,
  deleteAsk: (name, isLast) =>
    `Den Agenten ${name} mit Prompt und Einstellungen endgültig löschen?${isLast ? ' Es ist der letzte, der Menschen antwortet: Ohne ihn antwortet der Chatbot nicht.' : ''} Die Quellen bleiben.`,
  sourcesOrAll: 'Nenne die Quellen, die der Agent nutzen darf, oder erlaube ihm alle.',
  wrongTag: (piece) =>
    `„${piece}“ ist kein Schlagwort. Schreibe \`name | #1f2937 | Kriterium\`, mehrere durch Zeilenumbruch oder ; getrennt.`,
  wrongVariable: (piece) =>
    `„${piece}“ ist keine Variable. Schreibe \`name | string | Beschreibung | Beispiel | Standard\`, mehrere durch Zeilenumbruch oder ; getrennt. Der Typ ist string, number oder boolean.`,
};

const chatbot: Texts['chatbot'] = {
  created: (name, use) =>
    `${name} wurde mit dem Agenten General Q&A angelegt. ${use} lässt ihn hier antworten.`,
  count: (number) => count(number, { one: 'Chatbot', other: 'Chatbots' }),
  answersHere: '💬 antwortet hier',
  chosenIsGone: (now) =>
    `Der hier gewählte Chatbot wurde anderswo gelöscht. ${now} antwortet hier wieder.`,
  usualOne: 'Der Standard-Chatbot',
  used: {
    channel: (name) =>
      `In diesem Kanal antwortet jetzt ${name}. Bestehende Threads behalten ihren Chatbot.`,
    workspace: (name) =>
      `In diesem Workspace antwortet jetzt ${name}, außer in Kanälen mit eigenem Chatbot. Bestehende Threads behalten ihren Chatbot.`,
    direct: (name, anew) =>
      `In dieser Direktnachricht antwortet jetzt ${name}. Die laufende Sitzung behält ihren Chatbot: ${anew} beginnt eine neue.`,
  },
  guests: {
    on: 'Gäste und, in geteilten Kanälen, Personen aus anderen Workspaces dürfen mich in Kanälen fragen und die Buttons unter ihren eigenen Antworten verwenden. Von den Befehlen haben sie nur „ask“ und „session forget“.',
    off: 'Gästen und, in geteilten Kanälen, Personen aus anderen Workspaces antworte ich nicht.',
  },
  homeOnly:
    'Die Chatbots hier wurden mit diesem Workspace geteilt. Für eigene muss er in WORKSPACES stehen: Frag die Betreiber dieses Bots.',
  shareWhat: (share) =>
    `Nenne den Chatbot, den du teilen willst, oder gib einen Code ein, den du bekommen hast: ${share} mit der Option „chatbot“ oder „code“.`,
  shareCode: (name, code) =>
    `Ein Verwalter des anderen Workspace gibt dort innerhalb eines Tages diesen Code mit dem Befehl „chatbot share“ ein:\n\n${code}\n\nEr gilt einmal. Verwalter können ${name} dort dann verwenden und ändern und seine Quellen sehen. Die Option „end“ beendet das Teilen mit allen Workspaces.`,
  noSuchCode:
    'Diesen Code gibt es nicht, er ist abgelaufen oder wurde schon verwendet. Bitte um einen neuen.',
  given: (name, use) =>
    `${name} wurde mit diesem Workspace geteilt. ${use} lässt ihn hier antworten.`,
  takenBack: (name, places) =>
    `${name} wird nicht mehr geteilt. Geteilt war er mit ${count(places, { one: 'Workspace', other: 'Workspaces' })}.`,
  notYours: (name) =>
    `${name} wurde mit diesem Workspace geteilt. Das können nur Verwalter des Workspace, dem er gehört.`,
  deleteFallback: (name) =>
    `${name} antwortet überall, wo kein anderer Chatbot gewählt wurde, und kann darum hier nicht gelöscht werden. Die Betreiber dieses Bots können einen anderen Standard-Chatbot wählen (CHATBOT_UUID).`,
  deleteAsk: (name, what) =>
    [
      `Den Chatbot ${name} endgültig löschen? Damit löschst du auch ${count(what.sources, { one: 'Quelle', other: 'Quellen' })}, ${count(what.tags, { one: 'Schlagwort', other: 'Schlagwörter' })}, ${count(what.agents, { one: 'Agent', other: 'Agenten' })} und ${count(what.sessions, { one: 'Sitzung', other: 'Sitzungen' })} mit allen Nachrichten.`,
      what.places > 0
        ? `Er wurde für ${count(what.places, { one: 'Kanal oder Workspace', other: 'Kanäle und Workspaces' })} gewählt. Dort antwortet dann wieder der Chatbot des Workspace oder der Standard-Chatbot.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),
  following: {
    mentions: 'Ich antworte, wenn ich erwähnt werde.',
    threads:
      'Ich antworte, wenn ich erwähnt werde, und auf jede Nachricht in Threads, in denen ich schon geantwortet habe.',
    questions:
      'Ich antworte auf alles, was nach einer Frage aussieht, in einem eigenen Thread, und auf jede Nachricht in Threads, in denen ich schon geantwortet habe. Nachrichten, die mit der Erwähnung einer anderen Person beginnen, beachte ich nicht.',
    posts:
      'Ich antworte auf jede Nachricht außerhalb von Threads in einem eigenen Thread. In Threads antworte ich nur, wenn ich erwähnt werde.',
    everything:
      'Ich antworte auf jede Nachricht eines Menschen in einem eigenen Thread und auf jede Nachricht in diesen Threads.',
  },
  followingForum: {
    questions:
      'Ich antworte auf jeden neuen Beitrag und auf jede Nachricht in Beiträgen, in denen ich schon geantwortet habe. Nachrichten, die mit der Erwähnung einer anderen Person beginnen, beachte ich nicht.',
    posts:
      'Ich antworte auf jeden neuen Beitrag. Darunter antworte ich nur, wenn ich erwähnt werde.',
    everything:
      'Ich antworte auf jeden neuen Beitrag und auf jede Nachricht eines Menschen darunter.',
  },
  context: {
    on: 'Wenn ich hier gefragt werde, lese ich, was vorher gesagt wurde: im Thread, sonst in diesem Kanal.',
    off: 'Wenn ich hier in einem Thread gefragt werde, lese ich, was darin vorher gesagt wurde. Außerhalb von Threads lese ich nur die Frage.',
    direct: 'In Direktnachrichten lese ich, was mir geschrieben wird; das lässt sich nicht ändern.',
  },
  unsure: {
    answer:
      'Geben meine Quellen hier auf eine Frage keine klare Antwort, dann sage ich das und nenne, was am ehesten passt.',
    quiet: (gaps) =>
      `Geben meine Quellen hier auf eine Frage keine klare Antwort, dann schreibe ich nichts, außer ich wurde erwähnt. Verwalter finden die Frage mit ${gaps}.`,
    silent: (gaps) =>
      `Geben meine Quellen hier auf eine Frage keine klare Antwort, dann schreibe ich nichts, auch wenn ich erwähnt wurde. Verwalter finden die Frage mit ${gaps}.`,
    calls: 'Wer benachrichtigt wird, wenn jemand nach einem Menschen fragt, erfährt davon.',
    notTold: (update) =>
      `Dieser Chatbot sagt aber nicht, wie sicher seine Antworten sind, also schreibe ich sie alle. Sein Dienst muss es sagen können, und seine Antworten müssen ihre Quellen zeigen: ${update}`,
    direct: 'In Direktnachrichten antworte ich immer; das lässt sich nicht ändern.',
  },
  followingDirect: 'Ich antworte in Direktnachrichten auf alles; das lässt sich nicht ändern.',
  hearing: {
    mentions:
      'Allerdings zeigt Discord mir nur Nachrichten, die mich erwähnen. Die Betreiber dieses Bots können das ändern: „Message Content Intent“ auf https://discord.com/developers/applications unter „Bot“ einschalten und neu starten.',
    uninvited:
      'Allerdings bin ich kein Mitglied dieses Kanals und sehe seine Nachrichten nicht. Lade mich mit „/invite“ und meinem Namen ein.',
    unseen:
      'Allerdings fehlt mir hier das Recht „View Channel“; ich sehe keine Nachrichten. Wer den Server verwaltet, kann es mir in den Einstellungen des Kanals unter „Berechtigungen“ geben.',
  },
  asking: {
    heading: 'Wer mich fragen darf',
    everyone: 'Alle dürfen es, in allen Kanälen und in Direktnachrichten.',
    kinds: { people: 'Personen', groups: 'Gruppen', channels: 'Kanäle', bots: 'Bots' },
    allowed: (names) => `zugelassen: ${names}`,
    blocked: (names) => `gesperrt: ${names}`,
    direct: 'Direktnachrichten',
    limits: { person: 'Jede Person', channel: 'Jeder Kanal', workspace: 'Alle zusammen' },
    limit: (max) => `bis zu ${count(max, { one: 'Frage', other: 'Fragen' })} in 24 Stunden`,
    unlimited: 'So viele Fragen, wie sie wollen.',
    wrongBot:
      'Gib eine ID ein: in Slack die Mitglieds-ID, App-ID oder Bot-ID, in Discord die Benutzer-ID. Die eines Webhooks steht in seiner Adresse.',
    tooMany: (max) => `Du kannst bis zu ${max} einer Art nennen. Wähle stattdessen Gruppen.`,
  },
  noWorkspace:
    'Eine Direktnachricht gehört zu keinem Server. Verwende diesen Befehl in einem Kanal des Servers, den du meinst.',
  followed: 'Ab jetzt in diesem Kanal',
  tags: {
    onlyForums:
      'Das ist für Beiträge in Foren und Medienkanälen auf Discord. Verwende es in einem davon.',
    none: 'Dieses Forum hat noch keine Tags. Wer den Kanal verwalten darf, legt sie in seinen Einstellungen an.',
    unknown: (tag, tags) => `In diesem Forum gibt es keinen Tag „${tag}“. Zur Auswahl: ${tags}.`,
    chatbot: (name) => `${name} antwortet`,
    solved: 'wird gesetzt, wenn die fragende Person „Hilfreich“ drückt',
    nothing: 'ohne Bedeutung',
    note: 'Ein Chatbot antwortet auf Beiträge, die beim Schreiben seinen Tag bekommen; bestehende Beiträge behalten ihren Chatbot.',
  },
  managersHere: 'Wer hier verwaltet',
  platformManagers:
    'Immer: Admins und Inhaber des Workspace in Slack, in Discord alle, die den Server verwalten dürfen',
  namedBy: {
    environment: 'von den Betreibern dieses Bots hinzugefügt (MANAGERS)',
    command: 'hier hinzugefügt',
  },
  managersSaved: 'Gespeichert.',
  managersSame: 'Nichts geändert.',
  tooManyManagers: (max) =>
    `Du kannst hier höchstens ${max} Personen und Gruppen hinzufügen. Nimm eine Gruppe statt ihrer Mitglieder.`,
  auditIn: (channel) => `Änderungen werden in ${channel} gemeldet.`,
  auditNowhere:
    'Änderungen werden in keinem Kanal gemeldet; sie stehen alle im Protokoll dieses Bots.',
  auditBegins: 'Änderungen werden ab jetzt hier gemeldet.',
  auditEnds: (who) => `Änderungen werden hier nicht mehr gemeldet: ${who} hat das geändert.`,
  notWritable: (channel) => `In ${channel} kann ich nicht schreiben; es wurde nichts geändert.`,
  notified: 'Wer benachrichtigt wird, wenn jemand einen Menschen sprechen möchte',
  nobodyNotified:
    'Wenn jemand einen Menschen sprechen möchte, wird niemand benachrichtigt. Wähle dafür einen Kanal oder Personen.',
  notificationsOff: (agent) =>
    `Aber die Benachrichtigungen des Agenten ${agent} sind ausgeschaltet: Bis sie eingeschaltet sind, wird niemand benachrichtigt.`,
  notificationsOn: 'Benachrichtigungen einschalten',
  notifyBegins: 'Wenn jemand einen Menschen sprechen möchte, melde ich das ab jetzt hier.',
  tooManyContacts: (max) => `Höchstens ${max} Personen können benachrichtigt werden.`,
  rate: (messages, seconds) =>
    `${count(messages, { one: 'Nachricht', other: 'Nachrichten' })} in ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })}`,
};

const session: Texts['session'] = {
  noneHere: (list) =>
    `Hier gibt es keine Sitzung. Wähle eine mit ihrer ersten Frage: ${list} zeigt sie.`,
  count: (number) => count(number, { one: 'Sitzung', other: 'Sitzungen' }),
  nothingAsked: 'noch nichts gefragt',
  inThisChannel: 'in diesem Kanal',
  former: 'früheres Gespräch',
  messages: (number) => count(number, { one: 'Nachricht', other: 'Nachrichten' }),
  exported: (number) =>
    `Hier ${number === 1 ? 'ist' : 'sind'} ${count(number, { one: 'Nachricht', other: 'Nachrichten' })} als Datei.`,
  notOurs: 'Diese Sitzung gehört zu keinem Thread, den ich kenne.',
  stopped: 'Gestoppt.',
  retried: 'Ich habe die letzte Frage in ihrem Thread noch einmal beantwortet.',
  resumed: 'Ich antworte in diesem Thread wieder.',
  withPeople: (askedBy) => `an Menschen übergeben, angefordert von ${askedBy}`,
  deleteAsk: (session, messages) =>
    `Die Sitzung ${session} mit ${count(messages, { one: 'Nachricht', other: 'Nachrichten' })} endgültig löschen? Die Nachrichten im Thread bleiben; die nächste Nachricht dort beginnt eine neue Sitzung.`,
  askAnew:
    'Jeder Thread ist eine eigene Sitzung: Erwähne mich mit einer Frage oder gib hier eine an, und ich antworte in einem neuen Thread.',
  started: 'Hier beginnt eine neue Sitzung.',
  startedAnew: (list) =>
    `Hier beginnt eine neue Sitzung, ohne das Bisherige. Die frühere bleibt für alle erhalten, die sie hier lesen konnten: ${list} zeigt sie. Mit der Option „forget“ wäre sie gelöscht worden.`,
  title: (session) => `Sitzung ${session}`,
  forget: {
    none: 'Ich weiß von nichts, was du mich gefragt hast.',
    ask: (questions) =>
      `${count(questions, { one: 'Frage', other: 'Fragen' })} von dir endgültig löschen, samt meinen Antworten? Ich lösche sie beim Chatbot-Dienst, in meinem Speicher und meine Nachrichten in den Kanälen, in denen du gefragt hast. Was gerade beantwortet wird, wird gestoppt. Deine eigenen Nachrichten bleiben, ebenso Dateien, die ich sehr langen Antworten angehängt habe, private Antworten, die du geteilt hast, was Verwalter mir wegen einer Frage beigebracht haben, was ihnen geschickt wurde, als du einen Menschen sprechen wolltest, Backups und was die Fragen anderer aus einem Gespräch enthielten.`,
    doing: (done, all) => `Ich lösche: ${done} von ${all} …`,
    done: (questions, answers, posts) =>
      `Gelöscht: ${count(questions, { one: 'Frage', other: 'Fragen' })}, ${count(answers, { one: 'Antwort', other: 'Antworten' })} beim Chatbot-Dienst und ${count(posts, { one: 'Nachricht', other: 'Nachrichten' })} von mir.`,
    left: {
      heading: 'Nicht gelöscht:',
      running: (amount) =>
        `${count(amount, { one: 'Antwort, die', other: 'Antworten, die' })} sich noch nicht stoppen ${amount === 1 ? 'ließ' : 'ließen'}`,
      unsupported: (amount) =>
        `${count(amount, { one: 'Antwort', other: 'Antworten' })} beim Chatbot-Dienst, der keine einzelnen Nachrichten löschen kann`,
      unknown: (amount) =>
        `${count(amount, { one: 'Antwort', other: 'Antworten' })} beim Chatbot-Dienst, die ich nicht von denen anderer unterscheiden kann`,
      failed: (amount, why) =>
        `${count(amount, { one: 'Antwort', other: 'Antworten' })} beim Chatbot-Dienst: ${why}`,
      posts: (amount, why) =>
        `${count(amount, { one: 'Nachricht oder Titel', other: 'Nachrichten und Titel' })} von mir: ${why}`,
      again: (command) => `${command} versucht es noch einmal.`,
    },
  },
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

/** What a file without text is, and what to do about it. */
const refusedFiles: Record<RefusedKind, string> = {
  archive: 'Das ist ein Archiv. Entpacke es und lade die Dateien darin hoch.',
  split_archive:
    'Das ist ein leeres oder geteiltes Archiv. Entpacke es und lade die Dateien darin hoch.',
  compressed: 'Das ist ein komprimiertes Archiv. Entpacke es und lade die Dateien darin hoch.',
  old_office:
    'Das ist ein altes oder gesperrtes Office-Dokument. Speichere es als .docx, .xlsx oder .pptx, ohne Passwort, und lade das hoch.',
  image:
    'Das ist ein Bild. Schalte beim Scannen die Texterkennung (OCR) ein oder lade den Text hoch.',
  sound: 'Das ist eine Tondatei. Lade eine Abschrift davon hoch.',
  video: 'Das ist ein Video. Lade eine Abschrift davon hoch.',
  program: 'Das ist ein Programm. Lade ein Dokument mit Text hoch.',
  database: 'Das ist eine Datenbank. Exportiere sie als CSV und lade das hoch.',
  binary:
    'Diese Datei enthält keinen Text. Lade ein Dokument hoch, etwa PDF, Word oder reinen Text.',
  sitemap: 'Das ist eine Sitemap. Füge ihre Seiten einzeln hinzu.',
  unknown:
    'Diese Art von Datei kenne ich nicht. Wenn sie Text enthält, benenne sie in .txt um und lade sie noch einmal hoch.',
};

function toExcess({ unit, count: amount }: ArchiveExcess): string {
  switch (unit) {
    case 'entries':
      return `mehr als ${count(amount, { one: 'Eintrag', other: 'Einträge' })}`;
    case 'bytes':
      return size(amount);
    case 'times':
      return `das ${number(amount)}-Fache ihrer Größe`;
  }
}

const printAnew =
  'Öffne es und drucke es als neues PDF, oder speichere es als .docx oder .txt, und füge das hinzu.';

const makeRoom =
  'Lösche Quellen oder Sitzungen, oder bitte die Betreiber des Dienstes, OWNER_MAX_MB zu erhöhen.';

const problems: Texts['problems'] = {
  // Any platform
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
  thread_locked: 'Der Thread ist gesperrt. Ein Moderator kann ihn entsperren.',
  answer_expired: 'Es ist zu spät, um auf diesen Befehl zu antworten.',
  channel_hidden:
    'Ich kann diesen Kanal nicht sehen. Frage in einem Kanal, in dem ich Mitglied bin, oder lade mich ein.',

  // Files on platforms
  file_gone: 'Diese Datei wurde gelöscht.',
  file_unreadable: ({ platform }) =>
    `Ich konnte die Datei nicht von ${platform} lesen. Bitte versuche es noch einmal.`,
  file_refused: ({ platform, status }) =>
    `${platform} hat mir die Datei nicht gegeben (HTTP ${status}).`,
  file_elsewhere: ({ platform, host }) =>
    `Laut ${platform} liegt diese Datei auf ${host}; ich lese Dateien nur von ${platform} selbst.`,
  file_over_limit: ({ max }) => `Diese Datei ist größer als ${size(max)}; mehr ist nicht erlaubt.`,
  file_not_taken: ({ platform, status }) =>
    `${platform} hat die Datei nicht angenommen (HTTP ${status}).`,
  file_too_large: ({ platform }) => `Die Datei ist für ${platform} zu groß.`,

  // Slack
  slack_channel_hidden:
    'Slack zeigt mir diesen Kanal nicht. Lade mich mit „/invite“ und meinem Namen ein.',
  slack_not_in_channel:
    'Ich bin kein Mitglied dieses Kanals. Lade mich mit „/invite“ und meinem Namen ein.',
  slack_file_hidden:
    'Slack zeigt mir die Datei nicht. Sie wurde gelöscht oder dort geteilt, wo ich kein Mitglied bin.',
  slack_file_external:
    'Diese Datei liegt nicht in Slack. Lade sie herunter und lade dann die Kopie hoch.',
  slack_file_canvas:
    'Canvases und Listen kann ich nicht lesen. Kopiere den Text in eine Nachricht oder eine Datei.',
  voice_not_transcribed: 'Diese Sprachnachricht ließ sich nicht verschriftlichen.',
  slack_file_over_storage:
    'Slack verbirgt diese Datei, weil der Speicherplatz des Workspace aufgebraucht ist.',
  slack_file_nowhere: 'Slack sagt nicht, wo diese Datei liegt.',
  slack_file_redirects: 'Slack hat mich bei dieser Datei zu oft weitergeleitet.',
  slack_files_forbidden: `Slack lässt mich keine Dateien lesen. Die Betreiber dieses Bots müssen auf ${slackApps} files:read ergänzen und dann die App neu installieren.`,
  slack_edit_refused: 'Slack lässt mich diese Nachricht nicht bearbeiten.',
  slack_delete_refused: 'Slack lässt mich diese Nachricht nicht löschen.',
  slack_edit_too_late: 'Diese Nachricht ist zu alt, um sie in diesem Workspace noch zu bearbeiten.',
  slack_message_limit:
    'Slack nimmt in diesem Workspace vorerst keine Nachrichten mehr an, weil zu viele gesendet wurden. Bitte versuche es in einigen Minuten noch einmal.',
  slack_edit_streaming:
    'Slack lässt mich diese Nachricht nicht bearbeiten, solange sie gestreamt wird.',
  slack_stream_ended: 'Slack hat das Streaming dieser Nachricht beendet.',
  slack_stream_stopped: 'Das Streaming dieser Nachricht wurde gestoppt.',
  slack_stream_refused: 'Slack lässt mich Nachrichten nicht streamen.',
  slack_token_refused: `Slack hat SLACK_BOT_TOKEN abgelehnt. Die Betreiber dieses Bots müssen das „Bot User OAuth Token“ (xoxb-…) auf ${slackApps} kopieren. Es ändert sich, wenn die App neu installiert wird.`,
  slack_token_not_bot: `SLACK_BOT_TOKEN ist nicht das Token eines Bots. Kopiere das „Bot User OAuth Token“ (xoxb-…) auf ${slackApps}.`,
  slack_sockets_full:
    'Slack erlaubt einer App zehn Sockets, und alle sind offen. Jeder Prozess öffnet zwei: Starte höchstens fünf, oder lass Slack die Ereignisse über HTTP senden (SLACK_SIGNING_SECRET).',
  slack_app_token_refused: ({ reason }) =>
    `Slack hat SLACK_APP_TOKEN abgelehnt (${reason}). Lege auf https://api.slack.com/apps unter „Basic Information“ ein App-Level Token (xapp-…) mit dem Scope connections:write an.`,
  slack_scope_missing: ({ scope }) =>
    `Der Slack-App fehlt ${scope ? `der Scope ${scope}` : 'ein Scope, den Slack nicht nennt'}. Die Betreiber dieses Bots müssen ihn auf ${slackApps} ergänzen und dann die App neu installieren.`,
  slack_write_forbidden:
    'Slack lässt mich hier nicht schreiben. Admins des Workspace können das ändern.',
  slack_direct_messages_off:
    'Direktnachrichten an mich sind ausgeschaltet. Der Nachrichten-Tab lässt sich auf https://api.slack.com/apps unter „App Home“ einschalten.',
  slack_bot_direct: 'Bots können keine Direktnachrichten bekommen.',
  slack_person_deactivated: 'Das Konto dieser Person ist deaktiviert.',
  slack_uploads_off:
    'In diesem Workspace ist das Hochladen von Dateien ausgeschaltet. Admins können das ändern.',
  slack_file_type_refused: 'Dieser Workspace nimmt Dateien dieses Typs nicht an.',
  slack_message_too_long: 'Slack hat die Nachricht als zu lang abgelehnt.',

  // Discord
  discord_token_refused:
    'Discord hat DISCORD_TOKEN abgelehnt. Die Betreiber dieses Bots müssen das Token von https://discord.com/developers/applications unter „Bot“ kopieren oder dort zurücksetzen.',
  discord_intent_missing:
    'Discord zeigt dem Bot nur Direktnachrichten, Erwähnungen und Antworten, die ihn benachrichtigen. Threads kann er deshalb nicht ohne Erwähnung folgen. Um das zu ändern, schalte auf https://discord.com/developers/applications unter „Bot“ den „Message Content Intent“ ein und starte neu.',
  discord_more_shards: ({ shards }) =>
    `Discord verlangt mehr Shards für den Bot. Setze DISCORD_SHARDS auf auto oder auf insgesamt mindestens ${shards}.`,
  discord_gateway_closed: ({ code }) =>
    `Discords Gateway hat die Verbindung endgültig beendet (${code}).`,
  discord_forbidden: 'Discord lässt mich das hier nicht tun.',
  discord_not_author: 'Nur wer eine Nachricht geschrieben hat, kann sie bearbeiten.',
  discord_edit_too_often: 'Discord lässt mich eine so alte Nachricht nicht so oft bearbeiten.',
  discord_abuse: 'Discords Schutz vor Missbrauch hat die Nachricht abgelehnt.',
  discord_direct_refused:
    'Ich kann dir keine Direktnachrichten senden. Erlaube sie in deinen Privatsphäre-Einstellungen für diesen Server, oder hebe die Blockierung auf.',
  discord_tag_gone: 'Den Tag gibt es in diesem Forum nicht mehr.',
  discord_tags_full: 'Der Beitrag hat schon fünf Tags, mehr lässt Discord nicht zu.',
  discord_auto_mod:
    'Der AutoMod des Servers hat meine Nachricht abgelehnt. Ein Moderator kann seine Regeln ändern.',
  discord_harmful_link:
    'Discord hält einen Link in meiner Nachricht für schädlich und hat sie abgelehnt.',
  discord_permission_missing: ({ permission, channel }) =>
    `Mir fehlt ${channel ? '' : 'hier '}das Recht „${permission}“${channel ? ` in #${channel}` : ''}. ${grant}`,
  discord_permissions_needed: ({ permissions, channel }) =>
    `Mir fehlt ${channel ? `in #${channel}` : 'hier'} ein Recht: Ich brauche ${and(permissions.map((name) => `„${name}“`))}. ${grant}`,

  // Typed commands
  no_action: ({ name }) => `„${name}“ gibt es hier nicht.`,
  no_option: ({ name }) => `Die Option --${name} gibt es hier nicht.`,
  no_value: ({ name }) => `--${name} braucht einen Wert.`,
  surplus_text: ({ text }) => `Ich weiß nicht, was ich mit „${text}“ tun soll.`,

  // The service's refusals
  api_key_unknown: 'Der API-Schlüssel fehlt oder ist unbekannt: Sende Authorization: Bearer <key>',
  api_key_busy: ({ seconds }) =>
    `Zu viele Anfragen mit diesem Schlüssel: Warte ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })}`,
  path_unknown: ({ method, path }) => `${method} ${path} gibt es nicht`,
  method_not_allowed: ({ allowed }) => `Dieser Pfad erlaubt nur ${allowed.join(', ')}`,
  service_failed: ({ request }) =>
    `Beim Dienst ist ein Fehler aufgetreten. Sein Protokoll sagt mehr über die Anfrage ${request}`,
  service_stopping: 'Der Dienst wird gerade beendet: Versuche es gleich noch einmal',
  fields_invalid: ({ faults }) =>
    faults.map((fault) => `${fault.field}: ${toRequirement(fault)}`).join('; '),
  resource_unknown: ({ noun, uuid }) =>
    `${resources[noun].none} ${uuid} gibt es nicht: Prüfe die UUID`,
  resource_limit: ({ noun, count: number }) =>
    `Es gibt schon ${count(number, resources[noun])}, mehr sind nicht erlaubt: Lösche welche`,
  source_foreign: ({ uuid }) =>
    `data_source_uuids: Dieser Chatbot hat keine Quelle ${uuid}: Nenne nur seine eigenen`,
  tag_foreign: ({ uuid }) =>
    `source_tag_uuids: Dieser Chatbot hat kein Schlagwort ${uuid}: Nenne nur seine eigenen`,
  document_unknown: ({ uuid }) =>
    `session_document_uuids: Es gibt kein Dokument ${uuid}: Lade es zuerst hoch`,
  idempotency_key_invalid:
    'Idempotency-Key: 1 bis 255 sichtbare ASCII-Zeichen sind nötig, etwa eine UUID',
  idempotency_key_taken:
    'Idempotency-Key: Diese Sitzung hat schon eine andere Frage mit diesem Schlüssel. Gib jeder Frage ihren eigenen',
  idempotency_key_unknown: 'Diese Sitzung hat keine Frage mit diesem Idempotency-Key',
  source_exists: ({ name, uuid }) =>
    `Dieser Chatbot hat ${name} schon, als Quelle ${uuid}: Lösche sie zuerst, um sie neu hinzuzufügen`,
  agent_exists: ({ type }) =>
    `type: Dieser Chatbot hat schon seinen einen Agenten der Art ${type}: Ändere diesen`,
  agent_model_unknown: ({ model, models }) =>
    `model: Hier gibt es kein Modell „${model}“: Nimm ${models.join(', ')} oder ein anderes, das GET /api/v1/agent/models nennt`,
  variables_unfit: ({ type }) =>
    `variables: Nur Agenten der Art user-facing haben Variablen, und dieser ist ${type}`,
  tags_unfit: ({ type }) =>
    `tags: Nur Agenten der Art background haben Schlagwörter, und dieser ist ${type}`,
  url_invalid: 'Das ist keine Webadresse. Gib eine wie https://example.com/page ein.',
  url_has_password: 'Die Adresse enthält einen Benutzernamen oder ein Passwort. Lass sie weg.',
  meta_invalid:
    'meta_json: muss ein JSON-Objekt wie {"reference_source_link": "https://example.com/page"} sein',
  body_not_json: 'Die Anfrage muss JSON sein: Sende Content-Type: application/json',
  body_malformed: 'Die Anfrage ist kein gültiges JSON: Sende ein Objekt wie {"name": "value"}',
  body_incomplete: 'Die Anfrage kam unvollständig an: Sende sie noch einmal',
  body_late: ({ seconds }) =>
    `Die Anfrage kam nicht innerhalb von ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })} an: Sende sie noch einmal`,
  body_coding_unknown: ({ accepted }) =>
    `Das Content-Encoding der Anfrage wird nicht unterstützt: Sende sie unkomprimiert oder mit einem von ${accepted}`,
  body_coding_broken:
    'Die Anfrage lässt sich nicht entpacken: Sende sie ganz und so gepackt, wie ihr Content-Encoding sagt',
  body_not_utf8: 'Die Anfrage ist nicht UTF-8: Sende sie als UTF-8',
  body_too_large: 'Die Anfrage ist zu groß: JSON darf bis zu 1 MB haben',
  body_overfilled: ({ fields }) =>
    `Die Anfrage hat zu viele Felder: JSON darf bis zu ${fields.toLocaleString('de')} haben`,
  form_not_multipart: 'Die Anfrage muss ein Formular (multipart) mit der Datei in „file“ sein',
  form_malformed:
    'Das Formular ist beschädigt oder kam nicht ganz an: Sende multipart/form-data mit einer Grenze und der Datei in „file“',
  form_empty: 'file: fehlt: Das Formular ist leer',
  form_field_too_large: ({ field }) => `${field}: darf höchstens 16 kB haben: Kürze es`,
  upload_missing: 'file: fehlt: Sende die Datei im Formularfeld „file“',
  upload_several: 'file: nur eine Datei auf einmal: Lade sie einzeln hoch',
  upload_empty: () => 'Diese Datei ist leer. Prüfe sie und lade sie noch einmal hoch.',
  upload_too_large: ({ mebibytes }) =>
    `Diese Datei ist zu groß: Bis zu ${mebibytes} MB sind erlaubt. Teile sie auf und lade die Teile hoch.`,
  upload_refused: ({ kind }) => refusedFiles[kind],
  upload_unreadable: ({ reason }) => `file: ${reason}`,
  client_left: 'Die Anfrage wurde zurückgezogen, bevor sie angenommen war',

  document_empty: 'Die Datei ist leer.',
  document_without_text: 'Die Datei enthält keinen lesbaren Text.',
  document_too_long: ({ characters, max }) =>
    `Das Dokument ist zu lang: ${number(characters)} Zeichen Text, erlaubt sind ${number(max)}. Teile es auf.`,
  document_too_large: ({ bytes, max }) =>
    `Die Datei ist zu groß: ${size(bytes)}, erlaubt sind ${size(max)}.`,
  document_kind_refused: ({ kind }) => refusedFiles[kind],
  document_protected:
    'Die Datei ist mit einem Passwort geschützt. Speichere sie ohne Passwort und füge sie noch einmal hinzu.',
  source_file_gone:
    'Die Datei ist nicht mehr da. Lösche diese Quelle und lade die Datei noch einmal hoch.',
  storage_full: ({ used, max }) =>
    `Dafür ist kein Speicher mehr frei: Gespeichert sind schon ${number(used)} von ${number(max)} MB. ${makeRoom}`,
  text_too_large: ({ text, left }) =>
    `Zu groß: Der Text belegt ${number(text)} MB, frei sind ${number(left)} MB. ${makeRoom}`,
  source_failed:
    'Diese Quelle konnte wegen eines Fehlers im Dienst nicht gelesen werden. Starte sie neu oder versuche es später noch einmal.',
  reading_too_slow: ({ seconds }) =>
    `Das Lesen der Datei hat länger als ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })} gedauert. Teile oder vereinfache sie.`,
  reading_too_big: ({ megabytes }) =>
    `Das Lesen der Datei hat mehr als ${number(megabytes)} MB Speicher gebraucht. Teile oder vereinfache sie.`,
  reading_overflowed: 'Die Datei ist zu tief verschachtelt oder zu groß, um gelesen zu werden.',
  reading_failed: 'Die Datei konnte nicht gelesen werden: Vielleicht ist sie beschädigt.',
  archive_too_large: (excess) =>
    `Entpackt hat die Datei ${toExcess(excess)}, und das ist zu viel. Teile oder vereinfache sie.`,
  archive_damaged:
    'Die Datei ist beschädigt: Sie lässt sich nicht entpacken. Speichere sie neu und füge sie noch einmal hinzu.',
  xml_broken: 'Die Datei ist beschädigt: Sie enthält fehlerhaftes XML.',
  xml_too_deep: ({ max }) =>
    `Die Datei ist mehr als ${count(max, { one: 'Ebene', other: 'Ebenen' })} tief verschachtelt.`,
  json_invalid: ({ reason }) => `Die Datei ist kein gültiges JSON (${reason}).`,
  json_too_deep: ({ max }) =>
    `Das JSON ist mehr als ${count(max, { one: 'Ebene', other: 'Ebenen' })} tief verschachtelt.`,
  workbook_without_texts:
    'Die Arbeitsmappe ist beschädigt: Die Texte ihrer Zellen fehlen. Speichere sie neu und füge sie noch einmal hinzu.',
  sheet_too_large: ({ max }) =>
    `Ein Tabellenblatt hat mehr als ${count(max, { one: 'Zelle', other: 'Zellen' })}. Teile es auf.`,
  book_protected: 'Das Buch hat einen Kopierschutz. Füge eines ohne Kopierschutz hinzu.',
  book_too_long: ({ chapters, max }) =>
    `Das Buch hat ${number(chapters)} Kapitel, gelesen werden bis zu ${number(max)}. Teile es auf.`,
  presentation_too_long: ({ slides, max }) =>
    `Die Präsentation hat ${count(slides, { one: 'Folie', other: 'Folien' })}, gelesen werden bis zu ${number(max)}. Teile sie auf.`,
  pdf_too_long: ({ pages, max }) =>
    `Das PDF hat ${count(pages, { one: 'Seite', other: 'Seiten' })}, gelesen werden bis zu ${number(max)}. Teile es auf.`,
  pdf_page_too_long: ({ page }) => `Seite ${number(page)} des PDFs enthält zu viel Text.`,
  pdf_table_missing: ({ tables }) =>
    `Text im PDF ist nicht lesbar: Seine Buchstaben sind Nummern einer Tabelle, die das PDF nicht enthält (${tables.join(', ')}). ${printAnew}`,
  pdf_garbled: `Text im PDF ist nicht lesbar: Seine Schriften sagen nicht, welche Buchstaben sie zeichnen. ${printAnew}`,
  pdf_without_text:
    'Das PDF enthält keinen Text, nur Bilder davon. Lass eine Texterkennung (OCR) darüber laufen und füge es noch einmal hinzu.',
  pdf_damaged:
    'Das PDF ist beschädigt und nicht lesbar. Speichere es neu und füge es noch einmal hinzu.',

  address_invalid: ({ address }) =>
    `„${address}“ ist keine Adresse. Gib eine wie https://example.com/page an.`,
  address_not_web: ({ address }) =>
    `${address} ist keine Webseite: Die Adresse muss mit http:// oder https:// beginnen.`,
  address_has_password: 'Die Adresse enthält einen Benutzernamen oder ein Passwort. Lass sie weg.',
  address_port: ({ port }) => `Port ${port} ist nicht für Webseiten. Prüfe die Adresse.`,
  address_video:
    'YouTube-Videos können noch nicht gelesen werden. Füge stattdessen das Transkript als Datei hinzu.',
  host_unknown: ({ host }) => `${host} wurde nicht gefunden. Prüfe die Adresse auf Tippfehler.`,
  host_lookup_failed: ({ host }) =>
    `Der Name ${host} ließ sich nicht auflösen. Versuche es später noch einmal.`,
  host_without_address: ({ host }) => `${host} wurde nicht gefunden.`,
  host_private: ({ host }) =>
    `${host} ist keine öffentliche Adresse. Nur Seiten im öffentlichen Internet können hinzugefügt werden; lade die Seite stattdessen als Datei hoch.`,
  host_refuses: ({ host }) => `${host} lehnt Verbindungen ab. Versuche es später noch einmal.`,
  host_broke_off: ({ host }) =>
    `${host} hat die Verbindung abgebrochen. Versuche es später noch einmal.`,
  host_unreachable: ({ host }) => `${host} ist nicht erreichbar. Versuche es später noch einmal.`,
  host_silent: ({ host }) => `${host} antwortet nicht. Versuche es später noch einmal.`,
  host_not_proxied: ({ host }) =>
    `Der Proxy im Netz des Bots führt nicht zu ${host}. Lade die Seite stattdessen als Datei hoch, oder frag die Betreiber dieses Bots.`,
  host_certificate: ({ host, reason }) => `${host} hat kein gültiges Zertifikat (${reason}).`,
  host_unreadable: ({ host }) => `Die Antwort von ${host} war nicht lesbar.`,
  robots_unavailable: ({ host, status }) =>
    `${host} kann gerade nicht sagen, was gelesen werden darf (robots.txt antwortet mit ${status}). Versuche es später noch einmal.`,
  robots_forbid: ({ host, address }) =>
    `${host} möchte nicht, dass Programme ${address} lesen (robots.txt verbietet es).`,
  page_late: ({ address, seconds }) =>
    `${address} kam nicht innerhalb von ${count(seconds, { one: 'Sekunde', other: 'Sekunden' })} an. Versuche es später noch einmal.`,
  page_redirects: ({ address, max }) => `${address} leitet mehr als ${number(max)}-mal weiter.`,
  page_missing: ({ address, status }) =>
    `${address} antwortet mit ${status}: Diese Seite gibt es nicht. Prüfe die Adresse.`,
  page_not_public: ({ address, status }) =>
    `${address} antwortet mit ${status}: Die Seite ist nicht öffentlich. Lade sie stattdessen als Datei hoch.`,
  page_failed: ({ address, status }) =>
    `${address} antwortet mit ${status}. Versuche es später noch einmal.`,
  page_packed: ({ encodings }) =>
    `Die Seite ist auf eine Weise komprimiert, die nicht gelesen werden kann (${encodings}).`,
  page_too_long: ({ max }) =>
    `Die Seite ist länger als ${size(max)}. Füge ihre Teile einzeln hinzu.`,
  page_too_deep: ({ max }) =>
    `Die Seite ist mehr als ${count(max, { one: 'Element', other: 'Elemente' })} tief verschachtelt.`,
  page_empty: 'Die Seite ist leer.',

  answer_failed: 'Beim Antworten ist etwas schiefgegangen. Bitte frage noch einmal.',
  answer_stopped: 'Der Dienst wurde beendet, während er antwortete.',
  no_agent_enabled:
    'Kein Agent dieses Chatbots ist zum Antworten aktiviert. Aktiviere einen Agenten der Art user-facing und frage dann noch einmal.',
  documents_too_long:
    'Die hochgeladenen Dateien sind zu lang. Bitte kürze sie und versuche es noch einmal.',
  documents_too_many:
    'Die hochgeladenen Dateien sind zusammen zu lang. Bitte kürze sie und versuche es noch einmal, oder beginne ein neues Gespräch.',
  embeddings_refused: ({ status }) =>
    `Der Embeddings-Server hat mit ${status} geantwortet: Den Rest findet die Suche nur über seine Wörter, bis es wieder versucht werden kann.`,
  embeddings_unreachable:
    'Der Embeddings-Server war nicht erreichbar oder hat abgebrochen: Den Rest findet die Suche nur über seine Wörter, bis es wieder versucht werden kann.',
  embeddings_wrong:
    'Der Embeddings-Server hat etwas anderes als einen Vektor je Text geschickt: Bitte EMBEDDINGS_BASE_URL und EMBEDDINGS_MODEL prüfen.',
  model_key_refused:
    'Der Modellserver hat den Schlüssel des Dienstes abgelehnt: Wer den Dienst betreibt, muss LLM_API_KEY setzen.',
  model_no_credit:
    'Das Modell kann nicht antworten, weil sein Konto kein Guthaben mehr hat: Wer den Dienst betreibt, muss es aufladen.',
  model_unknown: ({ model }) =>
    `Der Modellserver kennt das Modell ${model} nicht: Wer den Dienst betreibt, muss LLM_MODEL auf eines setzen, das er hat.`,
  model_address_wrong:
    'Der Modellserver wurde gefunden, aber nicht unter dieser Adresse: Wer den Dienst betreibt, muss LLM_BASE_URL prüfen; bei den meisten Servern endet sie auf /v1.',
  model_redirected:
    'Der Modellserver ist an eine andere Adresse umgezogen: Wer den Dienst betreibt, muss LLM_BASE_URL prüfen.',
  model_not_there:
    'Der Modellserver hat etwas geschickt, das keine Antwort ist: Wer den Dienst betreibt, muss LLM_BASE_URL prüfen.',
  model_busy: 'Das Modell hat gerade zu viel zu tun; bitte frage in einer Minute noch einmal.',
  model_overfilled:
    'Die Frage und ihr Gespräch sind zu lang für das Modell; frage bitte kürzer oder beginne ein neues Gespräch.',
  model_failed: 'Beim Modellserver ist ein Fehler aufgetreten; bitte frage gleich noch einmal.',
  model_refused:
    'Der Modellserver hat die Anfrage nicht angenommen: Wer den Dienst betreibt, findet den Grund im Protokoll.',
  model_filtered:
    'Der Inhaltsfilter des Modellanbieters hat diese Antwort beendet; bitte frage mit anderen Worten.',
  model_no_room:
    'Das Modell hat seine maximale Länge erreicht, bevor es zu einer Antwort kam; bitte frage nach weniger auf einmal.',
  model_gave_nothing: 'Das Modell hat keine Antwort gegeben; bitte frage mit anderen Worten.',
  model_too_slow: 'Das Modell hat zu lange für die Antwort gebraucht; bitte frage noch einmal.',
  model_unreachable: 'Der Modellserver ist nicht erreichbar; bitte frage gleich noch einmal.',
  model_broke_off: 'Die Antwort des Modells ist abgebrochen; bitte frage noch einmal.',
};

const smallTalk: Texts['smallTalk'] = {
  greeting:
    'hi, hallo, hey, na, moin, servus, grüezi, grüß gott, guten tag, guten morgen, guten abend, hallo bot, hallo zusammen, hi zusammen, hallo ihr, hallo du, hallo causeway, hi causeway, wie geht es dir, wie gehts, hallo wie geht es dir, hallo wie gehts, hi wie gehts',
  thanks:
    'danke, dankeschön, danke schön, danke sehr, danke dir, vielen dank, vielen lieben dank, besten dank, herzlichen dank, tausend dank, merci, danke bot, danke causeway, ok danke, okay danke, super danke, perfekt danke, prima danke, alles klar danke, danke das hat geholfen, danke für die hilfe, danke für deine hilfe, vielen dank für die hilfe, vielen dank für deine hilfe',
  help: 'hilfe, hilf mir, bitte hilf mir, hilfe bitte, bitte hilfe, ich brauche hilfe, help',
};

const thread: Texts['thread'] = {
  greeting:
    'Hallo! Stell mir eine Frage, und ich antworte hier mit dem, was ich gelernt habe. Mit „Hilfe“ zeige ich, was ich sonst noch kann.',
  youAreWelcome: 'Gern geschehen! Frag mich jederzeit wieder.',
  tooManyWaiting:
    'Ich beantworte hier noch frühere Fragen. Bitte frage noch einmal, wenn ich fertig bin.',
  tooBusy: 'Ich beantworte gerade zu viele Fragen. Bitte frage in einer Minute noch einmal.',
  commandInterrupted:
    'Ich wurde neu gestartet, während dieser Befehl lief. Ich führe ihn nicht noch einmal aus: Bitte prüfe, was er bewirkt hat.',
  interrupted: 'Ich war unterbrochen, und diese Frage hat zu lange gewartet.',
  commandMissed: 'Ich war nicht da, als dieser Befehl kam, und habe ihn nicht ausgeführt.',
  notYoursToRun: 'Nur wer diesen Befehl gegeben hat, kann ihn ausführen.',
  notHere: (question, why) =>
    question === ''
      ? `Wo du mir geschrieben hast, kann ich nicht antworten. ${why}`
      : `Wo du „${question}“ gefragt hast, kann ich nicht antworten. ${why}`,
  notShown:
    'Die Plattform hat diese Antwort nicht angenommen. Bitte frage noch einmal in anderen Worten.',
  questionEdited: 'Du hast deine Frage geändert.',
  taught: (name, question, link) =>
    `${name} hat mir die Antwort auf deine Frage „${question}“ beigebracht.${link ? ` [Zur Antwort](${link})` : ''}`,
  emptyAnswer: 'Ich habe eine leere Antwort bekommen. Formuliere deine Frage anders.',
  freshSession:
    'Der Chatbot-Dienst hat unser früheres Gespräch nicht mehr, darum ist dies ein neues.',
  usualChatbot:
    'Der hier gewählte Chatbot wurde gelöscht, darum antwortet jetzt der Standard-Chatbot.',
  cut: 'Diese Antwort wurde abgeschnitten, weil sie die maximale Länge erreicht hat.',
  heldBack:
    'Ich habe hier zu viele Nachrichten gesendet und darf den Rest dieser Antwort noch nicht senden. Er folgt, sobald es wieder geht.',
  attached: 'Diese Antwort ist zu lang, um sie hier anzuzeigen. Der ganze Text hängt als Datei an.',
  sources: (list) => `Quellen: ${list}`,
  pages: (pages) => `S. ${pages}`,
  updated: (updatedMs, nowMs) => `aktualisiert am ${formatDay(updatedMs, { locale: 'de', nowMs })}`,
  noPassages: 'Diese Antwort zitiert keine Textstellen.',
  forgotten: 'Diese Antwort ist zu alt: Ich weiß nicht mehr, worum es ging.',
  thinking: 'denkt nach …',
  answersOthers: (ahead) =>
    `beantwortet zuerst ${count(ahead, { one: 'andere Frage', other: 'andere Fragen' })} …`,
  stillAnswering: 'Ich antworte noch darauf. Stopp das zuerst, oder warte, bis ich fertig bin.',
  askedAgain: 'Die Frage wurde schon noch einmal gestellt. Die Antwort steht weiter unten.',
  nothingAsked: 'In diesem Thread wurde noch nichts gefragt.',
  stillWorking: '*Ich arbeite noch an der Antwort …*',
  nothingToStop: 'Hier gibt es nichts zu stoppen: Ich antworte gerade nicht.',
  notYoursToStop: (asker) =>
    `Nur wer gefragt hat (${asker}) oder ein Verwalter kann diese Antwort stoppen.`,
  thanks: {
    helpful: 'Danke! Ich habe notiert, dass diese Antwort hilfreich war.',
    unhelpful: 'Danke. Ich habe notiert, dass diese Antwort nicht hilfreich war.',
    remark: 'Danke. Verwalter können lesen, was du geschrieben hast.',
  },
  solved: 'Der Beitrag ist als gelöst markiert.',
  notSolved: (why) => `Aber ich konnte den Beitrag nicht als gelöst markieren. ${why}`,
  remark: {
    title: 'Nicht hilfreich',
    label: 'Was war falsch oder hat gefehlt?',
    hint: 'Dein Urteil ist schon notiert. Was du hier schreibst, können Verwalter lesen.',
    skip: 'Überspringen',
  },
  stopped: {
    restart: 'Ich wurde neu gestartet, bevor diese Antwort fertig war. Bitte frage noch einmal.',
    person: (name) => `Gestoppt von ${name}.`,
    removed: 'Gestoppt, weil die Frage gelöscht wurde.',
  },
  buttons: {
    stop: 'Stoppen',
    retry: 'Erneut versuchen',
    run: 'Ausführen',
    teach: 'Beantworten',
    answerAgain: 'Neu antworten',
    passages: 'Textstellen anzeigen',
    helpful: 'Hilfreich',
    unhelpful: 'Nicht hilfreich',
    person: 'Mit einem Menschen sprechen',
    resume: 'Bot wieder antworten lassen',
  },
};

const handOver: Texts['handOver'] = {
  requested:
    'Du hast nach einem Menschen gefragt. Darum bin ich in diesem Thread still, bis ihr fertig seid.',
  requestedUntold: (command) =>
    `Du hast nach einem Menschen gefragt. Darum bin ich in diesem Thread still. Aber ich konnte niemandem Bescheid sagen: Bitte sprich selbst jemanden an. Verwalter legen mit ${command} fest, wer benachrichtigt wird.`,
  started: 'Jetzt ist ein Mensch da.',
  ended: 'Ich antworte hier wieder.',
  hint: `In diesem Thread helfen jetzt Menschen, darum bin ich still. Ich antworte wieder, sobald jemand auf „${thread.buttons.resume}“ drückt.`,
  lapsed: 'Die Übergabe ist abgelaufen, darum antworte ich in diesem Thread wieder.',
  alreadyRequested: 'Hier wurde schon nach einem Menschen gefragt, darum bin ich still.',
  nobodyTold: (command: string) =>
    `Ich konnte niemandem sagen, dass hier ein Mensch gebraucht wird. Verwalter legen mit ${command} fest, wer benachrichtigt wird.`,
  toldBefore:
    'Vor ein paar Minuten wurde schon jemand benachrichtigt, darum habe ich niemanden noch einmal benachrichtigt.',
  noneFromHere:
    'Aus dieser Direktnachricht erreiche ich niemanden. Bitte frage in einem Kanal, in dem ich bin, nach einem Menschen.',
  noThread:
    'Hier kann ich nicht an Menschen übergeben: Ich kann keinen Thread öffnen und wäre im ganzen Kanal still. Bitte frage in einem Thread oder in einem anderen Kanal nach einem Menschen.',
  agentName: 'Übergabe',
  phrases:
    'mit einem menschen sprechen, mit einem menschen reden, mit jemandem sprechen, mit einer person sprechen, echter mensch, echten menschen',
  isOn: 'Gespräche mit einem Menschen werden jetzt angeboten.',
  isOff: (on) =>
    `Gespräche mit einem Menschen werden nicht angeboten. Mit ${on} und einem Kanal wie #support schaltest du sie ein.`,
  how: (button, phrases) =>
    `Wer einen Menschen sprechen möchte, drückt unter einer Antwort auf **${button}**${phrases.length > 0 ? ` oder schreibt etwas wie ${or(phrases)}` : ''}. Ich bin dann in diesem Thread still, bis jemand auf **${thread.buttons.resume}** drückt; danach weiß ich, was gesagt wurde.`,
  offAsk: (agent) =>
    `Der Agent ${agent} beantwortet auch Fragen, darum bleibt er. Sollen seine Texte für Übergaben und die Sätze, mit denen man nach einem Menschen fragt, gelöscht werden?`,
  clear: 'Löschen',
  notOffered: 'Gespräche mit einem Menschen werden hier nicht mehr angeboten.',
  notHandedOver: 'Ich antworte hier schon: In diesem Thread helfen keine Menschen.',
  notYoursToEnd: ({ askedBy, onBehalfOf, takenBy }) => {
    const people = [
      `${askedBy} (hat einen Menschen angefordert),`,
      ...(onBehalfOf ? [`${onBehalfOf} (hat gefragt),`] : []),
      ...(takenBy ? [`${takenBy} (hat übernommen),`] : []),
    ];
    return `Nur ${people.join(' ')} oder ein Verwalter kann mich hier wieder antworten lassen.`;
  },
  notice: {
    asks: (name) => `🙋 ${name} möchte mit einem Menschen sprechen.`,
    unanswered: (name) =>
      `❓ ${name} hat etwas gefragt, worauf meine Quellen keine klare Antwort geben. Ich habe nichts geschrieben.`,
    asksFor: (name, whom) => `🙋 ${name} bittet für ${whom} um ein Gespräch mit einem Menschen.`,
    open: (link) => `[Thread öffnen](${link})`,
    noLink: 'Ich habe keinen Link zum Gespräch; bitte schreib direkt.',
  },
};

const aboutBot: Texts['aboutBot'] = {
  button: 'Hilfe zu diesem Bot',
  alsoIn: (list) => `Auch in meinen Quellen steht etwas dazu: ${list}`,
  filler:
    'aber alle allem alles als am an antworte antworten antwortest auch auf aus bei beim bekomme bekommen besser bevor bin bist bitte bot bots brauche brauchen bring bringe bringen bringst causeway chatbot da dafür damit danach dann darf darfst darum darüber das dass davon davor dazu dein deine dem den denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir discord doch du durch dürfen ehe eigentlich ein einander eine einem einen einer eines einige einmal er es etwa etwas euch euer eure frage fragen funktioniert für ganz gar geben gegen geht genau gerade gibst gibt ging gut hab habe haben hallo hast hat hatte hatten hey hi hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem irgendwas irgendwie irgendwo ist ja jede jeden jeder jedes jemals jemand jetzt kann kannst kein keine keinen können könnt könnte könntest liste mache machen machst mal man manche manchmal mehr mein meine meinen mich mir mit mochte muss musst möchte möchtest nach nachdem neben nicht nichts nie nirgends noch nur ob obwohl oder oft ohne schon sehr sein seine seit selbst sich sicher sie sind slack so sobald solange soll sollst sollte solltest sonst trotzdem tue tun um und uns unser unsere unseren unserer unter viel viele vielleicht vom von vor wann war waren warst warum was weil weiß welche welchen welcher welches wem wen wenn wer werde werden weshalb weswegen wie wieder wieso will willst wir wird wo wobei wofür woher wohin womit woran worauf woraus worin worum worüber wovon wozu wurde wurden während wäre würde würdest zeig zeige zeigen zu zum zur zwischen über',
  address: 'bot bots causeway chatbot chatbots dein deine deinem deinen deiner deines dich dir du',
  asides: 'du mir; du uns; weißt du; wenn du; falls du; findest du; meinst du',
  whoMay: { asked: 'wer', said: 'nur darf dürfen erlaubt verwalter' },
  topics: {
    abilities: {
      asked:
        '=was kannst du; =was kannst du alles; =was machst du; =was kannst du für mich tun; =wie kannst du mir helfen; =was kann ich hier tun; =was kann ich dich fragen; =was bist du; =wer bist du; =wofür bist du da; =wozu bist du da; =wofür bist du gut; =was weißt du; =wie funktionierst du; =stell dich vor; =wie funktioniert dieser bot; =wie funktioniert der bot; =was ist dieser bot; =was kann dieser bot; =was macht dieser bot; =bist du ein bot; =bist du ein mensch; =bist du eine ki',
      addressed: 'fähig fähigkeiten funktionen zweck',
      answer: (slash) =>
        `Ich beantworte Fragen aus den Quellen, die mir beigebracht wurden, und nenne sie unter jeder Antwort. Erwähne mich mit einer Frage in einem Kanal, oder schreib mir direkt. Verwalter bringen mir Dateien mit ${slash('source upload')} und Webseiten mit ${slash('source url')} bei. ${slash('help')} zeigt alle Befehle.`,
    },
    commands: {
      asked: 'befehl befehle befehlen kommando kommandos',
      addressed: 'befehl befehle befehlen kommando kommandos',
      answer: (slash) =>
        `Das sind die wichtigsten Befehle:\n\n- ${slash('ask')}: eine Frage stellen\n- ${slash('source upload')}, ${slash('source url')}, ${slash('source qa')}: mir eine Datei, eine Webseite oder eine Antwort beibringen\n- ${slash('source list')}: zeigen, was ich gelernt habe\n- ${slash('session new')}: ein neues Gespräch anfangen\n\n${slash('help')} zeigt alle.`,
    },
    types: {
      asked:
        'dateiart dateiarten dateiformat dateiformate dateityp dateitypen; art arten format formate typ typen + datei dateien dokument dokumente',
      addressed: 'dateiformate format formate',
      answer: (slash) =>
        `Ich lese PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, HTML, Markdown, Text, CSV, JSON und E-Mails. Eingescannte Seiten brauchen vorher eine Texterkennung (OCR). Lade eine Datei mit ${slash('source upload')} hoch.`,
    },
    managers: {
      asked:
        'wer + bearbeiten hinzufügen hinzufügt hochladen löschen löscht verwalten verwaltet ändern + bot datei dateien dich dokument dokumente einstellungen quelle quellen; admin manager managerin verwalter verwalterin + ist sind wer werde werden',
      addressed: 'admin admins administrator manager verwalter',
      answer: (slash) =>
        `Nur Verwalter fügen Quellen hinzu, ändern und löschen sie: in Slack Admins und Inhaber, in Discord alle, die den Server verwalten dürfen, und alle, die ein Verwalter mit ${slash('chatbot managers')} hinzufügt. Fragen stellen und mit ${slash('source list')} die Quellen sehen können alle.`,
    },
    upload: {
      asked:
        'beibringen bring bringe bringen hinzu hinzufügen hoch hochladen lad lade laden schicken schicke senden + datei dateien dokument dokumente excel handbuch pdf pdfs word; anlegen beibringen hinzu hinzufügen füge + quelle quellen wissen',
      addressed: 'beibringen beibringst hochladen trainieren trainiert',
      answer: (slash) =>
        `Gib ${slash('source upload')} ein und wähle eine Datei: PDF, Office, HTML, Text und mehr. Für eine Webseite gib ${slash('source url')} und ihre Adresse ein. Die Statusmeldung sagt, wann die Quelle bereit ist. Nur Verwalter können Quellen hinzufügen.`,
    },
    website: {
      asked:
        'beibringen bringe einlesen hinzu hinzufügen lernen lesen liest füge + homepage internetseite link links seite seiten url urls webseite webseiten website websites',
      addressed: '',
      answer: (slash) =>
        `Ja: Gib ${slash('source url')} und die Adresse jeder Seite ein; sie muss öffentlich sein. ${slash('source refresh')} holt Seiten noch einmal, wenn sie sich geändert haben. Nur Verwalter können Quellen hinzufügen.`,
    },
    deleting: {
      asked:
        'entferne entfernen entfernt lösche löschen löscht vergessen + datei dateien dokument dokumente pdf quelle quellen seite seiten webseite',
      addressed: 'verlernen',
      answer: (slash) =>
        `Gib ${slash('source delete')} und den Namen der Quelle ein. Ich frage nach, bevor ich sie lösche. ${slash('source list')} zeigt alle Namen. Nur Verwalter können Quellen löschen.`,
    },
    sources: {
      asked:
        'kennst liste was welche zeig zeige + quelle quellen; was welche + dateien dokument dokumente + gelernt hast kennst',
      addressed: 'gelernt quelle quellen weißt wissen zitierst',
      answer: (slash) =>
        `Eine Quelle ist eine Datei, eine Webseite oder eine Frage mit ihrer Antwort; daraus antworte ich. ${slash('source list')} zeigt alle, die ich habe.`,
    },
    person: {
      asked:
        'chatten erreiche erreichen kontaktieren rede reden schreiben spreche sprechen + jemand jemandem kollegen kollegin mensch menschen mitarbeiter person',
      addressed: '',
      answer: (slash) =>
        `Drücke unter einer Antwort auf **${thread.buttons.person}**: Dann schweige ich in diesem Thread und benachrichtige eure Leute. Fehlt dieser Button, muss ein Verwalter ihn erst mit ${slash('handover on')} einschalten.`,
    },
    stopping: {
      asked:
        'abbrechen anhalten breche brich halte stopp stoppe stoppen unterbrechen + antwort antworten dich du schreibst',
      addressed: 'anhalten stoppe stoppen unterbreche unterbrechen unterbricht',
      answer: (slash) =>
        `Drücke auf **${thread.buttons.stop}** unter der Antwort, während ich sie schreibe, oder verwende ${slash('session stop')}. Das kann, wer gefragt hat, und jeder Verwalter.`,
    },
    languages: {
      asked:
        'sprache sprachen + antwortest du kannst sprichst verstehst; frage fragen kannst schreiben sprichst verstehst + deutsch englisch französisch spanisch',
      addressed: 'deutsch englisch französisch spanisch sprache sprachen',
      answer: () =>
        'Ich spreche Deutsch und Englisch, wie auf deiner Plattform eingestellt. Frag in der Sprache der Quellen: Ich suche deine Wörter darin.',
    },
    following: {
      asked:
        'ohne + erwähne erwähnen erwähnt erwähnung; erwähne erwähnen + immer jedes jedesmal muss',
      addressed:
        'anpingen erwähne erwähnen erwähnst erwähnt ignorierst ignorieren markiere markieren reagieren reagierst schweigst stumm taggen',
      answer: (slash) =>
        `In Direktnachrichten und in Threads, in denen ich schon geantwortet habe, antworte ich ohne Erwähnung; sonst erwähne mich. Verwalter ändern das für einen Kanal mit ${slash('chatbot follow')}.`,
    },
    conversations: {
      asked:
        'anfangen beginne beginnen fang fange neu neue neues starte starten + chat gespräch session sitzung thread unterhaltung',
      addressed:
        'erinnern erinnerst gedächtnis gespräch gespräche merkst unterhaltung vergessen vergiss vergisst',
      answer: (slash) =>
        `Erwähne mich außerhalb eines Threads: Jeder Thread ist ein eigenes Gespräch. In einem Thread fängt ${slash('session new')} ein neues an, und ${slash('session delete')} löscht ein Gespräch.`,
    },
    privacy: {
      asked:
        'wer + lesen liest sehen sieht + frage gespräch gespräche nachricht nachrichten sage schreibe schreiben unterhaltungen',
      addressed: 'geheim privat vertraulich vertraulichkeit',
      answer: () =>
        'Wer den Kanal oder Thread lesen kann, kann auch lesen, was du mir dort schreibst. Deine Direktnachrichten mit mir kann in Slack und Discord sonst niemand lesen, auch kein Verwalter. Die Betreiber dieses Bots können es.',
    },
    asking: {
      asked: 'frage fragen stelle stellen + dich dir frage fragen',
      addressed: '',
      answer: (slash) =>
        `Erwähne mich in einem Kanal und schreib deine Frage dahinter, schreib mir direkt, oder verwende ${slash('ask')}. Im Thread einer Antwort geht es ohne Erwähnung weiter.`,
    },
  },
};

const access: Texts['access'] = {
  unknown_workspace:
    'Hier arbeite ich noch nicht: Keiner meiner Chatbots gehört zu diesem Workspace. Ein Verwalter kann das ändern: Er bittet einen Verwalter eines Workspace, der einen Chatbot hat, um einen Code und gibt ihn hier mit dem Slash-Befehl „chatbot share“ ein.',
  no_server:
    'Ich kann deine Direktnachrichten nicht beantworten, weil keiner meiner Chatbots zu einem Server gehört, auf dem wir beide sind. Bitte frage auf einem Server, auf dem ich antworte.',
  choose: (servers) =>
    servers.length === 1
      ? `Für den gewählten Server kann ich dir hier nicht mehr antworten. Der Chatbot von ${and(servers)} kann es: Wähle ihn unten oder mit dem Befehl „chatbot server“.`
      : `Wir sind zusammen auf mehreren Servern: ${and(servers)}. Von welchem Server soll dir hier der Chatbot antworten? Wähle unten oder mit dem Befehl „chatbot server“; ich merke es mir.`,
  chosen: (server) => `Ab jetzt antwortet dir hier der Chatbot von ${server}.`,
  noSuchServer: (servers) =>
    `Das ist keiner der Server, auf denen wir beide sind und die einen Chatbot haben: ${and(servers)}.`,
  onlyDirect:
    'Das ist für Direktnachrichten auf Discord. Hier antwortet der Chatbot dieses Workspace.',
  asking:
    'Hier antworte ich dir nicht: Verwalter haben mit dem Befehl „chatbot access“ festgelegt, wer mich wo fragen darf.',
  spent: {
    person: (when) =>
      `Du hast so viele Fragen gestellt, wie eine Person in 24 Stunden stellen darf. Ab ${when} kannst du wieder fragen.`,
    channel: (when) =>
      `Die Fragen dieses Kanals für 24 Stunden sind aufgebraucht. Ab ${when} kannst du hier wieder fragen.`,
    workspace: (when) =>
      `Die Fragen dieses Workspace für 24 Stunden sind aufgebraucht. Ab ${when} kannst du wieder fragen.`,
  },
  outsider: {
    guest:
      'Gästen antworte ich hier nicht. Ein Verwalter kann das mit dem Befehl „chatbot guests“ ändern.',
    stranger:
      'Personen aus anderen Workspaces antworte ich hier nicht. Ein Verwalter kann das mit dem Befehl „chatbot guests“ ändern.',
    unknown:
      'Ich konnte nicht herausfinden, ob du zu diesem Workspace gehörst, darum geht das jetzt nicht. Bitte versuch es gleich noch einmal.',
  },
};

/** Files beside a question. */
const attachments: Texts['attachments'] = {
  alone: (names) =>
    names.length === 1 ? `Was steht in ${names[0]}?` : `Was steht in den Dateien ${and(names)}?`,
  unread: (files) => `📎 Nicht gelesen: ${files.join(' · ')}`,
  tooMany: (max) => `Mit einer Frage lese ich höchstens ${max} Dateien.`,
  picture: 'Bilder sehe ich mir hier nicht an.',
  sound: 'Sprachnachrichten höre ich hier nicht an.',
  unsupported: 'Der Chatbot-Dienst nimmt mit einer Frage keine Dateien an.',
};

export const texts: Texts = {
  attachments,
  descriptions,
  access,
  size,

  asked: {
    thread: 'Ich antworte im Thread unter deiner Frage.',
    here: 'Ich antworte unter deiner Frage.',
    direct:
      'Ich gehöre nicht zu dieser Unterhaltung, darum antworte ich in unseren Direktnachrichten.',
  },
  unknownCommand: (help) => `Diesen Befehl kenne ich nicht. ${help} zeigt, welche ich kenne.`,
  managersOnly: (named) =>
    `Das dürfen nur Verwalter: Admins und Inhaber in Slack, in Discord alle, die den Server verwalten dürfen, und ${named || 'wen ein Verwalter oder die Betreiber dieses Bots hinzugefügt haben'}.`,
  forgotten: 'Dieser Button ist zu alt. Bitte verwende den Befehl noch einmal.',
  share: 'Im Kanal teilen',
  sharedBy: (name) => `*Geteilt von ${name}*`,
  showAll: 'Alles anzeigen',
  useAgain: 'Bitte verwende den Befehl noch einmal.',
  interrupted: (command, check) =>
    `Ich wurde neu gestartet, während ${command} lief. Ich führe den Befehl nicht noch einmal aus: Bitte prüfe mit ${check}, was er bewirkt hat.`,
  askInterrupted: (command) =>
    `Ich wurde neu gestartet, während ${command} lief. Wenn deine Frage nicht im Kanal steht oder ohne Antwort bleibt, stell sie bitte noch einmal.`,
  keep: 'Abbrechen',
  secondLabel: 'Ja, hinzufügen',
  kept: 'Es wurde nichts geändert.',
  deleteLabel: 'Löschen',
  deleted: (name) => `${name} wurde gelöscht.`,
  deletedElsewhere: (kind, name) => `${kinds[kind].the} **${name}** wurde anderswo gelöscht.`,
  renamed: (before, after) => `**${before}** heißt jetzt **${after}**.`,
  updated: (name) => `Gespeichert: ${name}`,
  nothingChanged: 'Nichts zu ändern: Mindestens ein Wert muss anders sein.',
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
  smallTalk,
  aboutBot,
  thread,
  handOver,
  failures,
  forms,
  titles,
  labels,
  choices,
  limits,
  places,
  fields: {
    meaning: 'Nach Bedeutung auffindbar',
    status: 'Status',
    type: 'Art',
    file: 'Datei oder Adresse',
    link: 'Link',
    tokens: 'Tokens',
    size: 'Größe',
    tags: 'Schlagwörter',
    agents: 'Agenten',
    sources: 'Quellen',
    created: 'Angelegt',
    modified: 'Geändert',
    uuid: 'ID',
    description: 'Beschreibung',
    temperature: 'Temperatur',
    variables: 'Variablen',
    handoverMessage: 'Wenn jemand einen Menschen sprechen möchte',
    handoverStart: 'Wenn ein Mensch übernimmt',
    handoverEnd: 'Wenn der Mensch geht',
    monitored: 'Nachrichten, die einen Menschen anfordern',
    notifications: 'Benachrichtigungen',
    sound: 'Ton',
    visibility: 'Sichtbarkeit',
    rateLimit: 'Nachrichtenlimit',
    rateLimitMessage: 'Wenn das Limit überschritten ist',
    citations: 'Zeigt Quellen',
    following: 'In diesem Kanal',
    context: 'Vorher Gesagtes',
    forumTags: 'Tags des Forums',
    unsure: 'Wenn ich unsicher bin',
    channel: 'Kanal',
    people: 'Personen',
  },

  source,
  tag,
  agent,
  chatbot,
  session,
  gaps: {
    count: (amount) =>
      count(amount, {
        one: 'Frage ohne hilfreiche Antwort',
        other: 'Fragen ohne hilfreiche Antwort',
      }),
    refused: 'keine Antwort gefunden',
    unhelpful: 'als „Nicht hilfreich“ bewertet',
    remark: (said) => `„${said}“`,
    nearest: (title) => `passt am ehesten: ${title}`,
    also: (question) => `auch: ${question}`,
    answer: (number) => `${number} beantworten`,
    taken: (name) =>
      `${name} hat diese Frage beantwortet oder ist dabei, also wurde nichts geändert. Du hast geschrieben:`,
    askedAnew: (amount) =>
      `Ich beantworte ${amount > 1 ? `die ${amount} Fragen` : 'die Frage'} neu und gebe Bescheid.`,
    elsewhere: (amount) =>
      `${count(amount, { one: 'weitere Frage', other: 'weitere Fragen' })} in Gesprächen, die du nicht lesen kannst`,
  },
  install: {
    done: (workspace: string) => `Causeway ist in ${workspace} installiert`,
    next: 'Lade den Bot in Slack in einen Kanal ein, und erwähne ihn dort mit einer Frage.',
    granted: 'Er darf:',
    cancelled: 'Causeway wurde nicht installiert',
    cancelledHint: 'Du hast abgebrochen. Du kannst jederzeit neu beginnen.',
    failed: 'Causeway konnte nicht installiert werden',
    otherBrowser:
      'Diese Adresse wurde in einem anderen Browser geöffnet als dem, in dem du begonnen hast, oder zu spät. Beginne neu.',
    refused: (code: string) => `Slack hat es abgelehnt (${code}). Beginne neu.`,
    later: 'Etwas ist schiefgegangen, aber nicht durch dich. Beginne in einigen Minuten neu.',
    again: 'Neu beginnen',
  },
  menu: {
    choose: 'Befehl wählen',
    meant: (command) => `Meinst du ${command}?`,
    asks: (ask) =>
      `Um mich das zu fragen, tippe ${ask}, oder erwähne mich mit deiner Frage in einem Kanal.`,
    head: (ask, help) =>
      `Was möchtest du tun? Wähle einen Befehl oder tippe ihn, zum Beispiel ${ask} und eine Frage. ${help} erklärt alle.`,
  },
  help: {
    heading:
      'Erwähne mich mit einer Frage, und ich antworte in einem Thread. Außerdem gibt es diese Befehle:',
    forManagers: 'Du bist hier Verwalter und kannst auch Dinge ändern.',
    forEveryone: 'Verwalter können auch Dinge ändern.',
    inShort: (commands, more) =>
      `Stell mir eine Frage: Erwähne mich in einem Kanal oder schreib mir direkt. Ich antworte in einem Thread mit dem, was ich gelernt habe, und nenne meine Quellen. Frag dort weiter, ohne mich zu erwähnen.\n\nAußerdem gibt es Befehle, so wie hier oder nach einer Erwähnung:\n\n${commands}\n\n${more} zeigt alles, was du tun kannst.`,
  },
};
