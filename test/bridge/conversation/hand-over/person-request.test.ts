import { describe, expect, it } from 'vitest';
import { asksForPerson } from '../../../../src/bridge/conversation/hand-over/settings.ts';

describe('asksForPerson', () => {
  it.each([
    ['I want to TALK to a  human, please!', 'talk to a human'],
    ['human?', 'Human!'],
    ['I’d like an agent', "I'd like an agent"],
    ['einen Menschen, bitte', 'EINEN MENSCHEN'],
    ['Ｈｕｍａｎ', 'human'],
    ['すみません、担当者と話したいです', '担当者と話したい'],
  ])('hears %j as %j', (text, monitored) => {
    expect(asksForPerson(text, ['something else', monitored])).toBe(true);
  });

  it.each([
    ['Is this humane?', 'human'],
    ['talk to another human', 'talk to a human'],
    ['anything', '?!'],
    ['anything', ''],
    ['', 'human'],
  ])('does not hear %j as %j', (text, monitored) => {
    expect(asksForPerson(text, [monitored])).toBe(false);
  });
});
