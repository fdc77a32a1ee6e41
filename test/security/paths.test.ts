import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useAttacked } from './attacked.ts';

const attacked = useAttacked();

const hostileUuids: [string, string][] = [
  ['of dots', '..'],
  ['of encoded dots', '%2e%2e'],
  ['that climbs', '..%2f..%2f..%2fetc%2fpasswd'],
  ['that climbs on Windows', '..%5c..%5cwindows'],
  ['encoded twice', '%252e%252e%252f'],
  ['of a zero byte', '%00'],
  ['before a zero byte', '$%00'],
  ['with a slash at its end', '$%2f'],
  ['of half an escape', '%'],
  ['of a wrong escape', '%zz'],
  ['that is no UTF-8', '%ff%fe'],
  ['in overlong UTF-8', '%c0%ae%c0%ae'],
  ['of SQL', `'%20OR%20'1'='1`],
  ['of a wildcard', '%25'],
  ['of another wildcard', '*'],
  ['of a parameter', ':uuid'],
  ['in capitals', '$UPPER'],
  ['with dashes', '$DASHES'],
  ['with a space', '$%20'],
  ['with a line break', '$%0d%0aSet-Cookie:a=b'],
  ['with a fragment', '$%23x'],
  ['of a property of every object', '__proto__'],
  ['of a constructor', 'constructor'],
  ['that is very long', 'x'.repeat(12_000)],
  ['of many slashes', '%2f'.repeat(3000)],
  ['that turns around', '%e2%80%ae'],
  ['of a page', '%3cscript%3ealert(1)%3c%2fscript%3e'],
];

test.each(hostileUuids)('a uuid %s is unknown, and quoted safely', async (_, given) => {
  const { service, annas } = attacked();
  const uuid = given
    .replace('$UPPER', annas.chatbot.toUpperCase())
    .replace('$DASHES', annas.chatbot.replace(/^(.{8})/, '$1-'))
    .replace('$', annas.chatbot);
  for (const path of [`chatbot/${uuid}`, `chatbot/${uuid}/agents`, `agent/${uuid}`]) {
    const response = await service.fetch(`/api/v1/${path}`);
    const text = await response.text();
    // A uuid of digits alone has no letters to capitalize.
    if (uuid === annas.chatbot && path.startsWith('chatbot')) continue;
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.has('set-cookie')).toBe(false);
    expect(text.length).toBeLessThan(1000);
  }
});

const hostileNames: [string, string, string][] = [
  ['climbs', '../../../../tmp/causeway-was-here.txt', 'causeway-was-here.txt'],
  ['climbs on Windows', '..\\..\\a.txt', 'a.txt'],
  ['is absolute', '/etc/passwd.txt', 'passwd.txt'],
  ['names a drive', 'C:\\a.txt', 'a.txt'],
  ['is a stream of NTFS', 'a.txt::$DATA.txt', 'a.txt::$DATA.txt'],
  ['climbs in escapes', '..%2f..%2fa.txt', '..%2f..%2fa.txt'],
  ['is a device', 'CON.txt', 'CON.txt'],
  ['is another device', 'nul.txt', 'nul.txt'],
  ['is a pipe', '|touch x.txt', '|touch x.txt'],
  ['is an option', '--help.txt', '--help.txt'],
  ['is a home folder', '~/.ssh/a.txt', 'a.txt'],
  ['is hidden', '.htaccess.txt', '.htaccess.txt'],
  ['holds a zero byte', 'a.pdf\u0000.txt', 'a.pdf.txt'],
  ['turns around', 'a\u202efdp.txt', 'afdp.txt'],
  ['is very long', `${'x'.repeat(5000)}.txt`, `${'x'.repeat(251)}.txt`],
  ['is long in bytes', `${'𝕬'.repeat(300)}.txt`, `\ufffd${'𝕬'.repeat(125)}.txt`],
  ['is a page', '<img src=x onerror=alert(1)>.txt', '<img src=x onerror=alert(1)>.txt'],
  ['holds a header', 'a%0d%0aContent-Type: x%0d%0a.txt', 'aContent-Type: x.txt'],
  ['holds a quote', 'a%22; name=%22b.txt', 'a"; name="b.txt'],
  ['is SQL', `'); DROP TABLE sources; --.txt`, `'); DROP TABLE sources; --.txt`],
  ['is a property of every object', '__proto__.txt', '__proto__.txt'],
];

function uploadAs(name: string, text = `A text about ${JSON.stringify(name)}.`): Promise<Response> {
  const { service, annas } = attacked();
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  return service.fetch(`/api/v1/chatbot/${annas.chatbot}/data-source/upload`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: Buffer.from(`${head}${text}\r\n--x--\r\n`),
  });
}

describe('a file whose name', () => {
  test.each(hostileNames)('%s is stored', async (_, given, shown) => {
    const response = await uploadAs(given);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ file_name: shown, title: shown });
  });

  test('points elsewhere writes nothing there', async () => {
    for (const [index, [, given]] of hostileNames.entries()) {
      const response = await uploadAs(given, `Another text, the ${index}th.`);
      expect(response.status).toBe(200);
    }
    const names = readdirSync(attacked().service.dataDir, { recursive: true, encoding: 'utf8' });
    const own = /^(files(\/[0-9a-f-]{36})?|service\.sqlite(-shm|-wal)?)$/;
    expect(names.filter((name) => !own.test(name))).toEqual([]);
    expect(readdirSync('/tmp')).not.toContain('causeway-was-here.txt');
  });
});

test.each([
  ['no boundary', 'multipart/form-data'],
  ['an empty boundary', 'multipart/form-data; boundary='],
  ['a boundary of pages', `multipart/form-data; boundary=${'x'.repeat(100_000)}`],
  ['a boundary with a line break', 'multipart/form-data; boundary="a b"'],
])('a form with %s is refused', async (_, type) => {
  const { service, annas } = attacked();
  const path = `/api/v1/chatbot/${annas.chatbot}/data-source/upload`;
  const headers = { 'content-type': type };
  const response = await service.fetch(path, { method: 'POST', headers, body: '--x\r\n\r\n' });
  expect(response.status).toBe(400);
});

const part = (head: string, body = 'A text.') => `--x\r\n${head}\r\n\r\n${body}\r\n`;
const name = 'Content-Disposition: form-data; name="file"; filename="a.txt"';

test.each([
  ['a part without a name', part('Content-Disposition: form-data')],
  ['a part without a head', part('X: y')],
  ['a part of many headers', part(`${'X: y\r\n'.repeat(5000)}${name}`)],
  ['a part of a long header', part(`X: ${'y'.repeat(100_000)}\r\n${name}`)],
  ['an end that never comes', `--x\r\n${name}\r\n\r\nA text`],
  ['a field as a prototype', part(name) + part('Content-Disposition: form-data; name="__proto__"')],
  ['a field of 20 KiB', part('Content-Disposition: form-data; name="f"', 'x'.repeat(20_000))],
  ['many parts', part('Content-Disposition: form-data; name="f"').repeat(5000)],
])('a form of %s is refused, and stores nothing', async (_, parts) => {
  const { service } = attacked();
  const chatbot = await service.createChatbot();
  const response = await service.fetch(`/api/v1/chatbot/${chatbot}/data-source/upload`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: `${parts}--x--\r\n`,
  });
  expect([400, 413]).toContain(response.status);
  expect((await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json).toEqual([]);
});
