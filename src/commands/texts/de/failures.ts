import type { Texts } from '../en.ts';
import { count } from './count.ts';
import { said } from './said.ts';

export const failures: Texts['failures'] = {
  said,
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
      ? `Der Chatbot-Dienst bekommt zu viele Anfragen. Bitte versuche es in ${count(seconds, 'Sekunde', 'Sekunden')} noch einmal.`
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
