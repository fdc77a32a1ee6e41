import { describe, expect, test } from 'vitest';
import { isToSomebody, looksLikeQuestion } from '../../../src/bridge/conversation/question-rule.ts';

/** Thought up before the rule, as people write in channels. */
const questions = [
  'How do I reset my password?',
  'how do i reset my password',
  'Hi all, does anyone know how to export the report as PDF?',
  'I get “permission denied” when I push. What am I doing wrong?',
  'What is the difference between a tag and an agent?',
  "what's the difference between the two plans",
  'Is there a way to undo a merge?',
  'is it possible to run this on windows',
  'The build fails since yesterday. Any idea why this happens?',
  'anyone know where the logs are',
  'Can I use the API without a key?',
  'can someone explain how billing works',
  'where can I find the release notes',
  'Which versions of Node.js are supported?',
  'which version do I need for arm64',
  'Why does `npm ci` fail behind a proxy?',
  'When does the café open on Sundays??',
  'So the limit is per channel, not per workspace?',
  'I read https://example.org/docs?page=2 and still wonder: does it need root?',
  'Does this work with Postgres 15? Thanks!',
  '> It needs Java.\nWhich Java does it need?',
  'How can I do this?\n```\nselect 1;\n```',
  'Wie kann ich mein Passwort zurücksetzen?',
  'wie setze ich mein passwort zurück',
  'Wo finde ich die Rechnung vom letzten Monat?',
  'wo finde ich die rechnung vom letzten monat',
  'Hallo zusammen, weiß jemand, wie man den Bericht exportiert?',
  'Gibt es eine Möglichkeit, das rückgängig zu machen?',
  'gibt es dafür eine anleitung',
  'Was kostet ein Cappuccino bei euch?',
  'was kostet ein cappuccino mit hafermilch',
  'Welche Unterlagen brauche ich für den Antrag?',
  'wann öffnet das Café am Sonntag',
  'Seit gestern geht das VPN nicht mehr. Woran kann das liegen?',
  '密码忘了怎么办？',
  'كيف يمكنني تغيير كلمة المرور؟',
  '¿Cómo puedo cambiar mi contraseña?',
  'パスワードはどこで変更できますか？',
  'Πώς μπορώ να αλλάξω τον κωδικό μου;',
];

const others = [
  'Good morning everyone!',
  'Thanks, that works now.',
  'I’ll look into it tomorrow.',
  'The release is out: https://example.org/notes?version=4',
  'https://example.org/search?q=how+do+i+reset',
  'Why?',
  'Really?!',
  'ok?',
  '???',
  'Anyone?',
  'Any questions?',
  '“How do I reset my password?”',
  '> How do I reset my password?',
  'She asked “where do I find the logs?” and left.',
  '```\nconst isOpen = day ? true : false; // is it open?\n```',
  '`git log --grep "why?"`',
  'Lunch is at noon, ok?',
  'What a day!',
  'How nice of you',
  'Which is why I restarted it',
  'What you need is a restart',
  'When I restart the server it works again',
  'Where I work we use Postgres',
  'Can confirm, same here',
  'Will do',
  'Do it now please',
  'Is down again',
  'Have a nice weekend',
  'The docs explain how to reset your password',
  'I wonder if this ever worked',
  'Guten Morgen zusammen',
  'Danke, jetzt geht es.',
  'Kann ich bestätigen',
  'Muss ich mal ausprobieren',
  'Wie ich gestern schon schrieb, ist der Server aus',
  'Was das angeht, warten wir noch',
  'Wer das liest, ist doof',
  'Wenn ich neu starte, geht es wieder',
  'Wo wir gerade dabei sind: das Meeting fällt aus',
  'Echt jetzt?',
  'Treffen um drei, ja?',
  'Haben wir schon erledigt',
  '谢谢，已经好了。',
  'شكرا، لقد نجح الأمر.',
  'Gracias, ya funciona.',
];

describe('what looks like a question', () => {
  test.each(questions)('%j does', (text) => {
    expect(looksLikeQuestion(text)).toBe(true);
  });

  test.each(others)('%j does not', (text) => {
    expect(looksLikeQuestion(text)).toBe(false);
  });

  test('is decided in linear time', () => {
    for (const piece of ['? ', '`', '“', 'how ', '> ', 'a?', '¿', 'is there ', 'http://a?']) {
      expect(looksLikeQuestion(piece.repeat(200_000))).toBeTypeOf('boolean');
    }
  });
});

describe('what is said to somebody', () => {
  const mention = /^<@\w+>/;
  test.each([
    '<@U1> can you look at this?',
    '  <@U1>, what do you think?',
    '<@U1> <@U2> any news?',
    'hey <@U1> where is it?',
    'Hi, <@U1>! Where is it?',
    'Hallo <@U1>, wo ist das?',
    'thanks <@U1>',
  ])('%j begins with a mention', (text) => {
    expect(isToSomebody(text, mention)).toBe(true);
  });

  test.each([
    'How does <@U1> do that?',
    'Where is it? <@U1>',
    'Does <@U1> know?',
    'highway <@U1>',
    'Can you look at this?',
    '',
  ])('%j does not', (text) => {
    expect(isToSomebody(text, mention)).toBe(false);
  });
});
