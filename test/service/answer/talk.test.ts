import { expect, test } from 'vitest';
import { quoteTalk } from '../../../src/service/answer/extractive.ts';
import { joinContext } from '../../../src/shared/api/session.ts';

const talk = [
  'Linus: When does the canteen open on Fridays?',
  'Grace: At 11:45.',
  'Linus: Thanks [1.2]!',
  'Grace: Parcels for the workshop are kept at the gate.',
].join('\n');
const sent = [joinContext({ query: 'Hello?', context: talk }), 'And later?'];

test('what people said is quoted where it fits the question', () => {
  expect(quoteTalk('Where are parcels kept?', sent)).toBe(
    'People said here:\n\n> Grace: Parcels for the workshop are kept at the gate.',
  );
  expect(quoteTalk('Wo sind die parcels, kept?', sent)).toMatch(/^Hier wurde gesagt:/);
});

test('after a question of theirs, what was said next is quoted too, without markers', () => {
  const quoted = quoteTalk('When does the canteen open?', sent);
  expect(quoted).toMatch(
    /> Linus: When does the canteen open on Fridays\?\n>\n> Grace: At 11:45\.\n>\n> Linus: Thanks/,
  );
  expect(quoted).not.toContain('[1.2]');
});

test('nothing is quoted if nobody said anything about it', () => {
  expect(quoteTalk('How do I add a source?', sent)).toBeUndefined();
  expect(quoteTalk('Where are parcels kept?', ['Where are parcels kept?'])).toBeUndefined();
  expect(quoteTalk('???', sent)).toBeUndefined();
});

test.each([
  ['How do I reset the VPN password?', 'Alice: How do I reset the VPN password?'],
  ['How do I reset the VPN password?', 'Alice: How do I reset the VPN password? Thanks!'],
  ['How do I reset the VPN password?', 'Alice: how do i reset the vpn password'],
  ['How do I reset the VPN password?', 'Alice: How do I reset the VPN password?\nBob: Anyone?'],
  ['Who is Anna?', 'Anna: lol'],
])('a question that nobody has answered is no answer to it: %s %s', (query, context) => {
  expect(quoteTalk(query, [joinContext({ query, context })])).toBeUndefined();
});

test.each([
  ['When does Alice leave?', 'Alice: I leave at five'],
  ['What is the VPN password?', 'Alice: The VPN password is hunter2, right?'],
  ['Is lunch at noon?', 'Bob: Is lunch at noon? Yes.'],
  ['Where is the deploy window?', 'Bob: the deploy window? see https://x.example/?a'],
])('what says more than the question answers it: %s %s', (query, context) => {
  expect(quoteTalk(query, [joinContext({ query, context })])).toContain(context);
});

test('the same question is quoted with its answer, and rather the answer that has the words itself', () => {
  const context = 'Alice: How do I reset the VPN password?\nBob: In the portal.';
  const query = 'How do I reset the VPN password?';
  expect(quoteTalk(query, [joinContext({ query, context })])).toMatch(/portal\.$/);
  const again = `${context}\nBob: Reset the VPN password in the portal.\nAlice: ${query}`;
  expect(quoteTalk(query, [joinContext({ query, context: again })])).toBe(
    'People said here:\n\n> Bob: Reset the VPN password in the portal.',
  );
});
