import { expect, test } from 'vitest';
import { type Routes, startServer } from '../../src/app/server.ts';

const service = {
  fetch: (request: Request) => new Response(`the service: ${new URL(request.url).pathname}`),
};

test('it is ready once nothing is awaited any more, and says for what it waits', async () => {
  let awaited = ['its start'];
  const routes: Routes = { listeners: new Map(), awaited: () => awaited };
  await using server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const ready = async () => {
    const answer = await fetch(`${server.origin}/readyz`);
    return [answer.status, await answer.text()];
  };
  expect(await ready()).toEqual([503, 'waiting for its start\n']);
  awaited = [];
  expect(await ready()).toEqual([200, 'ready\n']);
  // The service built in says whether it is ready itself, but not before the rest is.
  routes.service = service;
  expect(await ready()).toEqual([200, 'the service: /readyz']);
  awaited = ['a connection to slack', 'a connection to discord'];
  expect(await ready()).toEqual([
    503,
    'waiting for a connection to slack and a connection to discord\n',
  ]);
});
