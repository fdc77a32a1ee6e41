import { expect, test } from 'vitest';
import { isAllowedByRobots } from '../../../src/service/ingestion/robots.ts';

const robots = `
User-agent: *
Disallow: /private   # not for robots
Allow: /private/open
Disallow: /*.pdf$
Disallow: /search?*q=

User-agent: Other
User-agent: causeway
Disallow: /only-causeway
Disallow:
`;

test.each([
  ['Somebot', '/', true],
  ['Somebot', '/private/x', false],
  ['Somebot', '/private/open/x', true],
  ['Somebot', '/a/b.pdf', false],
  ['Somebot', '/a/b.pdf?x', true],
  ['Somebot', '/search?a=1&q=x', false],
  ['Causeway', '/private/x', true],
  ['Causeway', '/only-causeway/x', false],
])('%s may read %s: %s', (robot, path, allowed) => {
  expect(isAllowedByRobots(robots, robot, new URL(path, 'https://a.example'))).toBe(allowed);
});

test('a file that is not a robots.txt allows everything', () => {
  expect(
    isAllowedByRobots('<html>Not found</html>', 'Causeway', new URL('https://a.example/')),
  ).toBe(true);
});

test('of two rules of the same length, the one that allows wins', () => {
  const both = 'User-agent: *\nDisallow: /a\nAllow: /a';
  expect(isAllowedByRobots(both, 'Causeway', new URL('https://a.example/a'))).toBe(true);
});

test('a pattern of many stars is matched at once', () => {
  const slow = `User-agent: *\nDisallow: /${'*a'.repeat(500)}$`;
  const url = new URL(`https://a.example/${'a'.repeat(2000)}b`);
  expect(isAllowedByRobots(slow, 'Causeway', url)).toBe(true);
});

test.each([
  ['/für', '/f%c3%bcr/x', false],
  ['/f%c3%bcr', '/für', false],
  ['/%7Ejoe', '/~joe/', false],
  ['/~joe', '/%7ejoe/', false],
  ['/a%2fb', '/a%2Fb', false],
  ['/a%2Fb', '/a/b', true],
  ['/a%zz*$', '/a%zz', false],
])('%s matches %s however it is written', (rule, path, isAllowed) => {
  const robots = `User-agent: *\nDisallow: ${rule}`;
  expect(isAllowedByRobots(robots, 'Causeway', new URL(path, 'https://a.example'))).toBe(isAllowed);
});
