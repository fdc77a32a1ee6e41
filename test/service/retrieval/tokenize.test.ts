import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokensVersion, tokenize } from '../../../src/service/retrieval/tokenize.ts';

test.each([
  ['How do I add a source?', 'add sourc'],
  ['Adding sources, added a source', 'add sourc add sourc'],
  ['École, Ecoles and ECOLE', 'ecol ecol ecol'],
  ['Straße STRASSE', 'strass ~trasse strass ~trasse'],
  ['Ausbruch, Pestausbruch, Ausbrüche', 'ausbru ~sbruch pestau ~sbruch ausbru ~bruche'],
  ['книга, книги, книгой и о книгах', 'книг книг книг книг'],
  ['религия и религиозный', 'религ ~елигия религи ~иозныи'],
  ['different countries', 'differ countr'],
  ['Wie füge ich Quellen und eine Quelle hinzu?', 'fug quell ~uellen quell hinzu'],
  ['DISCORD_TOKEN in C++ and C# 3.14', 'discor ~iscord tok c++ c# 3 14 3.14'],
  ['What does plan A cost, and what did I get?', 'plan cost a'],
  ['Was kostet der Tarif S? A room of L’Oréal in the U.S.', 'kostet tarif room oreal s'],
  ['Eine E-Mail, das Wi-Fi und T-Shirts', 'mail wi fi shirt email wify tshirt'],
  [
    '10.000 or 10,000 or 1.000,50',
    '10 000 10 000 1 000 50 10.000 10.000 1.000.50 10000 10000 1000',
  ],
  ['Do You Have A Plan? [x](https://example.com/e-mail/de-de)', 'plan x'],
  ['Versions 1.2.3 and 3,14', 'versio ~ersion 1 2 3 3 14 1.2.3 3.14'],
  ['東京都の天気。晴れ', '東 京 都 天 気 東京 京都 都の の天 天気 晴 晴れ'],
  ['我的狗在哪里?', '狗 在 狗在'],
  ['À quelle heure ouvre l’école ?', 'quell heur ouvr ecol'],
  ['Wikiに書く', 'wiky 書 に書 書く'],
  ['see [the guide](https://example.com/guide)', 'see guid'],
  ['ﬁle №5 ½', 'fil no5 1 2'],
  ['', ''],
])('%j has the tokens %j', (text, tokens) => {
  expect(tokenize(text).join(' ')).toBe(tokens);
});

test('loses nothing of a sentence without spaces, however long', () => {
  expect(tokenize(`${'長'.repeat(200)}犬`)).toContain('長犬');
});

test('tokens hold no white space, no quotes and never too much, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      for (const token of tokenize(text)) expect(token).toMatch(/^[^\s"']{1,64}$/u);
    }),
  );
});

test('has a version that goes up when its tokens change', () => {
  const text = `Adding sources, running 3.14 C++ studies: "Écoles", Straße, Häuser, naïve coöperation.
    Die Quellen wurden schneller gefunden. Où sont les bibliothèques municipales de l’Île-de-France ?
    灯塔的开放时间是早上九点。灯台はいつ開きますか。カフェのメニュー 등대는 아홉 시에 엽니다 ﬁle İstanbul [a](http://b.c)`;
  // Raise the version with these: sources that are indexed already are found by it to be old.
  expect({ version: tokensVersion, tokens: tokenize(text).join(' ') }).toEqual({
    version: 5,
    tokens:
      'add sourc run ~unning 3 14 c++ study ecol strass ~trasse haus naiv cooper ~ration die quell ~uellen schnel ~neller gefund ~funden biblio ~theque munici ~cipale de ile de franc 灯 塔 灯塔 开 放 时 间 开放 放时 时间 早 上 九 点 早上 上九 九点 灯 台 開 灯台 台は はい いつ つ開 開き きま ます すか カフ フェ ェの のメ メニ ニュ ュー 등대는 아홉 시에 엽니다 fil istanb ~tanbul 3.14',
  });
});
