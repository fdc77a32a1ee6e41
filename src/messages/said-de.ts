import { createTranslation } from './said.ts';

const reinstall =
  'bei https://api.slack.com/apps unter „OAuth & Permissions“ und dann die App neu installieren.';
const grant =
  'Wer den Server verwaltet, kann es mir in den Einstellungen des Kanals unter „Berechtigungen“ geben.';
const again = 'Bitte versuche es gleich noch einmal.';

/** What the adapters and the core say, in German. */
export const said = createTranslation([
  ['Please try again in a moment.', again],
  ['Please try again.', 'Bitte versuche es noch einmal.'],
  ['The connection to Slack failed.', 'Die Verbindung zu Slack ist gescheitert.'],
  ['The connection to Discord failed.', 'Die Verbindung zu Discord ist gescheitert.'],
  ['Slack is having trouble (HTTP {}).', 'Slack hat gerade Schwierigkeiten (HTTP {}).'],
  ['Discord is having trouble (HTTP {}).', 'Discord hat gerade Schwierigkeiten (HTTP {}).'],
  ['Slack is getting too many messages from me.', 'Slack bekommt zu viele Nachrichten von mir.'],
  ['Slack is getting too many messages.', 'Slack bekommt zu viele Nachrichten.'],
  [
    'Discord is getting too many messages from me.',
    'Discord bekommt zu viele Nachrichten von mir.',
  ],
  ['Slack refused that ({}).', 'Slack hat das abgelehnt ({}).'],
  ['Discord refused that ({}).', 'Discord hat das abgelehnt ({}).'],

  ['The message no longer exists.', 'Die Nachricht gibt es nicht mehr.'],
  ['The thread no longer exists.', 'Den Thread gibt es nicht mehr.'],
  ['The channel or thread no longer exists.', 'Den Kanal oder Thread gibt es nicht mehr.'],
  [
    'Slack does not show me this channel. Invite me with “/invite” and my name.',
    'Slack zeigt mir diesen Kanal nicht. Lade mich mit „/invite“ und meinem Namen ein.',
  ],
  [
    'I am not a member of this channel. Invite me with “/invite” and my name.',
    'Ich bin in diesem Kanal kein Mitglied. Lade mich mit „/invite“ und meinem Namen ein.',
  ],
  ['Slack knows no such person.', 'Slack kennt diese Person nicht.'],
  ['Discord knows no such person.', 'Discord kennt diese Person nicht.'],
  [
    'Slack does not show me the file: it was deleted, or shared where I am not a member.',
    'Slack zeigt mir die Datei nicht: Sie wurde gelöscht, oder geteilt, wo ich kein Mitglied bin.',
  ],
  ['The file was deleted.', 'Die Datei wurde gelöscht.'],
  ['This file was deleted.', 'Diese Datei wurde gelöscht.'],
  ['Slack does not let me edit this message.', 'Slack lässt mich diese Nachricht nicht ändern.'],
  ['Slack does not let me delete this message.', 'Slack lässt mich diese Nachricht nicht löschen.'],
  [
    'This message is too old to be edited in this workspace.',
    'Diese Nachricht ist zu alt, um in diesem Arbeitsbereich geändert zu werden.',
  ],
  [
    'Slack does not let me edit this message while it streams.',
    'Slack lässt mich diese Nachricht nicht ändern, solange sie entsteht.',
  ],
  [
    'Slack has ended the stream of this message.',
    'Slack hat diese Nachricht beendet, während sie entstand.',
  ],
  [
    'The stream of this message was stopped.',
    'Diese Nachricht wurde angehalten, während sie entstand.',
  ],
  ['The channel is archived.', 'Der Kanal ist archiviert.'],
  ['The thread is archived.', 'Der Thread ist archiviert.'],
  [
    'The thread is locked. A moderator can unlock it.',
    'Der Thread ist gesperrt. Wer moderiert, kann ihn öffnen.',
  ],
  [
    'Only whoever wrote a message can edit it.',
    'Eine Nachricht kann nur ändern, wer sie geschrieben hat.',
  ],
  [
    'Discord does not let me edit a message this old so often.',
    'Discord lässt mich eine so alte Nachricht nicht so oft ändern.',
  ],
  [
    'The time to answer this command is over.',
    'Die Zeit, diesen Befehl zu beantworten, ist vorüber.',
  ],

  [
    'Whoever runs this bot needs to check SLACK_BOT_TOKEN: copy the “Bot User OAuth Token” (xoxb-…) at https://api.slack.com/apps under “OAuth & Permissions”, then reinstall the app.',
    `Wer diesen Bot betreibt, muss SLACK_BOT_TOKEN prüfen: das „Bot User OAuth Token“ (xoxb-…) kopieren ${reinstall}`,
  ],
  [
    'The Slack app lacks the scope that Slack did not name.',
    'Der Slack-App fehlt ein Scope, den Slack nicht nennt.',
  ],
  [
    'Whoever runs this bot needs to add it at https://api.slack.com/apps under “OAuth & Permissions”, then reinstall the app.',
    `Wer diesen Bot betreibt, muss ihn ergänzen ${reinstall}`,
  ],
  ['The Slack app lacks the scope {}.', 'Der Slack-App fehlt der Scope {}.'],
  [
    'Slack does not let me read files. Whoever runs this bot needs to add files:read at https://api.slack.com/apps under “OAuth & Permissions”, then reinstall the app.',
    `Slack lässt mich keine Dateien lesen. Wer diesen Bot betreibt, muss files:read ergänzen ${reinstall}`,
  ],
  [
    'Slack does not allow me to write here; an admin of the workspace can change that.',
    'Slack lässt mich hier nicht schreiben; Admins des Arbeitsbereichs können das ändern.',
  ],
  [
    'Direct messages to me are switched off. Switch the messages tab on at https://api.slack.com/apps under “App Home”.',
    'Direktnachrichten an mich sind ausgeschaltet. Der Nachrichten-Tab lässt sich bei https://api.slack.com/apps unter „App Home“ einschalten.',
  ],
  ['Bots get no direct messages.', 'Bots bekommen keine Direktnachrichten.'],
  ['That person’s account is deactivated.', 'Das Konto dieser Person ist deaktiviert.'],
  ['Slack refused the message as too long.', 'Slack hat die Nachricht als zu lang abgelehnt.'],

  [
    'Discord refused DISCORD_TOKEN. Whoever runs this bot needs to copy the token from https://discord.com/developers/applications under “Bot”, or reset it there.',
    'Discord hat DISCORD_TOKEN abgelehnt. Wer diesen Bot betreibt, muss das Token von https://discord.com/developers/applications unter „Bot“ kopieren oder dort erneuern.',
  ],
  ['Discord does not let me do that here.', 'Discord lässt mich das hier nicht tun.'],
  [
    'Discord’s protection against abuse refused the message.',
    'Discords Schutz vor Missbrauch hat die Nachricht abgelehnt.',
  ],
  [
    'I can’t send you direct messages. Allow them in your privacy settings for this server, or unblock me.',
    'Ich kann dir keine Direktnachrichten senden. Erlaube sie in deinen Privatsphäre-Einstellungen für diesen Server, oder hebe die Blockierung auf.',
  ],
  [
    'The server’s AutoMod refused my message. A moderator can change its rules.',
    'Der AutoMod des Servers hat meine Nachricht abgelehnt. Wer moderiert, kann seine Regeln ändern.',
  ],
  [
    'Whoever manages the server can grant it to me in the channel’s settings under “Permissions”.',
    grant,
  ],
  ['I lack the permission “{}” here.', 'Mir fehlt hier das Recht „{}“.'],
  ['I lack the permission “{}” in #{}.', 'Mir fehlt das Recht „{}“ in #{}.'],
  [
    'I lack a permission here: I need “{}” and “{}”.',
    'Mir fehlt hier ein Recht: Ich brauche „{}“ und „{}“.',
  ],
  [
    'I lack a permission in #{}: I need “{}” and “{}”.',
    'Mir fehlt in #{} ein Recht: Ich brauche „{}“ und „{}“.',
  ],
  [
    'I can’t see this channel. Ask where I am a member, or invite me to it.',
    'Ich sehe diesen Kanal nicht. Frage, wo ich Mitglied bin, oder lade mich dorthin ein.',
  ],

  [
    'This file lies outside of Slack. Download it, and upload the copy.',
    'Diese Datei liegt außerhalb von Slack. Lade sie herunter und die Kopie hoch.',
  ],
  [
    'Slack hides this file because the workspace is over its storage limit.',
    'Slack verbirgt diese Datei, weil der Arbeitsbereich seinen Speicherplatz überschritten hat.',
  ],
  ['Slack does not say where this file is.', 'Slack sagt nicht, wo diese Datei liegt.'],
  [
    'Slack points to {} for this file, and I read files from Slack alone.',
    'Slack verweist für diese Datei auf {}, und ich lese Dateien nur von Slack.',
  ],
  [
    'Discord points to {} for this file, and I read files from Discord alone.',
    'Discord verweist für diese Datei auf {}, und ich lese Dateien nur von Discord.',
  ],
  ['Slack sends me in circles for this file.', 'Slack schickt mich für diese Datei im Kreis.'],
  ['The file could not be read from Slack.', 'Die Datei konnte nicht von Slack gelesen werden.'],
  [
    'The file could not be read from Discord.',
    'Die Datei konnte nicht von Discord gelesen werden.',
  ],
  ['Slack did not give me the file (HTTP {}).', 'Slack hat mir die Datei nicht gegeben (HTTP {}).'],
  [
    'Discord did not give me the file (HTTP {}).',
    'Discord hat mir die Datei nicht gegeben (HTTP {}).',
  ],
  ['Slack did not take the file (HTTP {}).', 'Slack hat die Datei nicht genommen (HTTP {}).'],
  ['The file is larger than Discord takes.', 'Die Datei ist größer, als Discord sie nimmt.'],
  [
    'This file is larger than {} MB, the most I take.',
    'Diese Datei hat mehr als {} MB, die ich höchstens nehme.',
  ],

  ['Nothing was asked in this thread yet.', 'In diesem Thread wurde noch nichts gefragt.'],
  [
    'There is nothing to stop: I’m not answering anything here.',
    'Hier ist nichts anzuhalten: Ich antworte gerade auf nichts.',
  ],
  [
    'Only {}, who asked, or a manager can stop this answer.',
    'Diese Antwort können nur {}, von wem die Frage ist, und Verwalter anhalten.',
  ],
  [
    'Only {}, or a manager can let me answer here again.',
    'Nur {} und Verwalter können mich hier wieder antworten lassen.',
  ],
  [
    'Only {} or a manager can let me answer here again.',
    'Nur {} und Verwalter können mich hier wieder antworten lassen.',
  ],
  [
    'This answer is too old: I no longer know what it was about.',
    'Diese Antwort ist zu alt: Ich weiß nicht mehr, worum es ging.',
  ],
  [
    'I’m still answering that. Stop it first, or wait until it is done.',
    'Ich antworte noch darauf. Halte das erst an, oder warte, bis es fertig ist.',
  ],
  [
    'I answer here already: this thread is not with people.',
    'Ich antworte hier schon: Dieser Thread ist nicht bei Menschen.',
  ],
  [
    'A person was asked for here already, so I keep quiet in this thread.',
    'Hier wurde schon ein Mensch gerufen; darum bin ich in diesem Thread still.',
  ],
  [
    'Talking to a person is no longer offered here.',
    'Hier wird nicht mehr angeboten, mit einem Menschen zu sprechen.',
  ],

  ['There is no “{}” here.', '„{}“ gibt es hier nicht.'],
  ['There is no option --{} here.', 'Eine Angabe --{} gibt es hier nicht.'],
  ['--{} needs a value.', '--{} braucht einen Wert.'],
  ['I don’t know what to do with “{}”.', 'Ich weiß nicht, was ich mit „{}“ tun soll.'],
]);
