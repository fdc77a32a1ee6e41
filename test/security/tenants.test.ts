import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Result } from '../../src/bridge/commands/invocation.ts';
import type { Action } from '../../src/bridge/commands/command.ts';
import type { Option, RawValues } from '../../src/bridge/commands/option.ts';
import { openTenants, people, type Tenant, type Tenants, tenants } from './tenants.ts';

/** What somebody does in a workspace, chosen by numbers that choose among what the workspace has. */
interface Step {
  tenant: Tenant;
  seed: number;
  /** What is tried of another workspace's. */
  foreign: Ids;
}

/** What names something of a workspace: its things, and the buttons and turns that were shown there. */
interface Ids {
  things: readonly string[];
  buttons: readonly string[];
  turns: readonly Turn[];
}

/** A turn with buttons, and where it is. */
type Turn = Pick<ReturnType<Tenants['replyButtons']>[number], 'turn' | 'thread'>;

const nothing: Ids = { things: [], buttons: [], turns: [] };

/** A small generator of numbers, the same for the same seed (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof createRandom>;

function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[random(Math.max(1, items.length))];
}

/** What a workspace was shown and can press or name. */
interface Seen {
  lines: string[];
  buttons: string[];
}

const pressable = [
  'passages',
  'helpful',
  'unhelpful',
  'retry',
  'stop',
  'person',
  'resume',
] as const;

const question = 'What is the secret word?';

function valueFor(
  option: Option,
  name: string,
  at: { step: Step; own: readonly string[]; random: Random },
) {
  const { step, own, random } = at;
  const said = `${name} of ${step.tenant.workspace} ${step.seed}`;
  switch (option.type) {
    case 'reference':
      return pick([...own, ...step.foreign.things], random) ?? randomUUID();
    case 'text':
      if (option.holds) return 'https://127.0.0.1:9/never';
      return name === 'question' ? question : said.slice(0, option.maxLength);
    case 'choice':
      return pick(option.choices, random) ?? '';
    case 'number':
      return String(option.min);
    case 'boolean':
      return 'yes';
    case 'color':
      return '#123456';
    case 'date':
      return '2026-01-01';
    case 'file':
      return {
        name: 'note.md',
        size: said.length + 2,
        origin: undefined,
        async *read() {
          yield new TextEncoder().encode(`# ${said}`);
        },
      };
    case 'channel':
      return 'C1';
    case 'person':
      return 'U2';
    case 'group':
      return 'S1';
  }
}

/** All commands with their actions. */
function listActions({ runner }: Tenants): { command: string; name?: string; action: Action }[] {
  return runner.commands.flatMap((command) =>
    'action' in command
      ? [{ command: command.name, action: command.action }]
      : Object.entries(command.actions).map(([name, action]) => ({
          command: command.name,
          name,
          action,
        })),
  );
}

async function useCommand(
  world: Tenants,
  step: Step,
  random: Random,
  isSuggesting: boolean,
): Promise<Result[]> {
  const { tenant } = step;
  const found = pick(listActions(world), random);
  if (!found) return [];
  const person = random(4) === 0 ? people.member : people.manager;
  const own = await world.ids(tenant);
  const values: RawValues = {};
  for (const [name, option] of Object.entries(found.action.options)) {
    if (!option.required && random(3) > 0) continue;
    values[name] = valueFor(option, name, { step, own, random });
  }
  const used = {
    command: found.command,
    ...(found.name !== undefined && { action: found.name }),
    values,
    ...(random(2) === 0 && { thread: String(random(3)) }),
  };
  if (!isSuggesting) return world.use(tenant, person, used);
  const option = pick(Object.keys(found.action.options), random);
  if (option === undefined) return [];
  return [{ markdown: (await world.suggest(tenant, person, { ...used, option })).join('\n') }];
}

/** Does a step in its workspace, and notes what was shown there. */
async function take(world: Tenants, step: Step, seen: Seen): Promise<void> {
  const { tenant, seed, foreign } = step;
  const random = createRandom(seed);
  const kind = random(10);
  const thread = String(random(3));
  const person = random(3) === 0 ? people.manager : people.member;
  const results: Result[] = [];
  if (kind < 5) results.push(...(await useCommand(world, step, random, kind === 4)));
  else if (kind === 5) {
    const answer = `It is ${tenant.workspace}-${seed}.`;
    const values = { question, answer };
    results.push(
      ...(await world.use(tenant, people.manager, { command: 'source', action: 'qa', values })),
    );
  } else if (kind < 8) {
    const text =
      pick([question, 'Nobody knows quixotic zeppelins?', 'Can I talk to a human?'], random) ?? '';
    await world.say(tenant, person, { id: `m${seed}`, thread, text });
  } else if (kind === 8) {
    const id = pick([...seen.buttons, ...foreign.buttons], random);
    if (id !== undefined) results.push(...(await world.press(tenant, person, id, thread)));
  } else {
    const turns: Turn[] = [...world.replyButtons(tenant), ...foreign.turns];
    const at = pick(turns, random) ?? { turn: 'none', thread };
    const pressed = { action: pick(pressable, random) ?? 'retry', ...at };
    results.push({ markdown: await world.pressReply(tenant, person, pressed) });
  }
  for (const { markdown, buttons = [], files = [] } of results) {
    seen.lines.push(
      markdown,
      ...buttons.map(({ label }) => label),
      ...files.map(({ text }) => text),
    );
    seen.buttons.push(...buttons.map(({ id }) => id));
  }
}

async function idsOf(world: Tenants, tenant: Tenant, seen: Seen): Promise<Ids> {
  const turns = world.replyButtons(tenant).map(({ turn, thread }) => ({ turn, thread }));
  return { things: await world.ids(tenant), buttons: [...seen.buttons], turns };
}

/** What people in a workspace have read, without what differs by chance. */
function transcriptOf(world: Tenants, tenant: Tenant, { lines }: Seen): string[] {
  const inThreads = world
    .threads(tenant)
    .toSorted((a, b) => a.address.thread.localeCompare(b.address.thread))
    .flatMap((thread) => [...thread.visible(), ...thread.buttons().flat()]);
  const all = [...lines, '—', ...inThreads, '—', ...world.notices(tenant)];
  const known = new Map<string, string>();
  const stable = (id: string) => {
    const name = known.get(id) ?? `id ${known.size}`;
    known.set(id, name);
    return name;
  };
  // How often progress is shown depends on the machine.
  const lasting = all.filter((line) => !line.startsWith('⏳'));
  return lasting.map((line) =>
    line
      .replace(/[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}/g, stable)
      .replace(/code:[\w-]+/g, 'code')
      .replace(/\d{1,2} \w{3,9} \d{4}(?:, \d{1,2}:\d{2}(?: UTC)?)?|\d{1,2}:\d{2}/g, 'time'),
  );
}

const unseen = (): Seen => ({ lines: [], buttons: [] });

/** Runs all steps; in many, what another workspace has is tried. */
async function runMixed(seed: number, count: number) {
  await using world = await openTenants();
  const random = createRandom(seed);
  const seen = new Map(tenants.map((tenant) => [tenant, unseen()]));
  const steps: Step[] = [];
  for (let at = 0; at < count; at += 1) {
    const tenant = tenants[random(tenants.length)] ?? tenants[0];
    const other = tenants[random(tenants.length)] ?? tenants[0];
    const isTried = other !== tenant && random(2) === 0;
    const foreign = isTried ? await idsOf(world, other, seen.get(other) ?? unseen()) : nothing;
    const step = { tenant, seed: seed * 1_000 + at, foreign };
    steps.push(step);
    await take(world, step, seen.get(tenant) ?? unseen());
  }
  const transcripts = new Map(
    [...seen].map(([tenant, each]) => [tenant, transcriptOf(world, tenant, each)]),
  );
  return { steps, transcripts };
}

async function runAlone(steps: readonly Step[], tenant: Tenant): Promise<string[]> {
  await using world = await openTenants();
  const seen = unseen();
  for (const step of steps) if (step.tenant === tenant) await take(world, step, seen);
  return transcriptOf(world, tenant, seen);
}

test.each([1, 2])(
  'with seed %i, nobody reads, counts or notices anything of another workspace',
  { timeout: 120_000 },
  async (seed) => {
    const { steps, transcripts } = await runMixed(seed, 100);
    for (const [tenant, mixed] of transcripts) {
      expect(mixed.length).toBeGreaterThan(10);
      expect(mixed).toEqual(await runAlone(steps, tenant));
    }
  },
);

test('who was given a chatbot gets what it knows, and no conversation of those who gave it', async () => {
  await using world = await openTenants();
  const [giver, taker] = tenants;
  const { manager, member } = people;
  const use = async (tenant: Tenant, words: string, values: RawValues = {}) => {
    const [command = '', action] = words.split(' ');
    const used = { command, ...(action !== undefined && { action }), values };
    return (await world.use(tenant, manager, used)).map(({ markdown }) => markdown).join('\n');
  };
  await use(giver, 'source qa', { question, answer: 'It is persimmon.' });
  await world.say(giver, member, { id: 'm1', thread: '1', text: question });
  await world.say(giver, member, { id: 'm2', thread: '2', text: 'Who knows quixotic zeppelins?' });
  const [, code = ''] =
    /code:([\w-]+)/.exec(await use(giver, 'chatbot share', { chatbot: 'Home' })) ?? [];
  const given = await use(taker, 'chatbot share', { code });
  expect(given).toContain('was shared with this workspace');
  expect(await use(taker, 'source list')).toContain(question);
  await use(taker, 'chatbot use', { chatbot: 'Home' });
  await world.say(taker, member, { id: 'm1', thread: '1', text: question });
  expect(JSON.stringify(world.threads(taker).map((each) => each.visible()))).toContain('persimmon');
  const shown = [
    await use(taker, 'session list'),
    await use(taker, 'gaps'),
    ...(await world.suggest(taker, manager, {
      command: 'session',
      action: 'show',
      values: {},
      option: 'session',
    })),
  ].join('\n');
  expect(shown).not.toContain('zeppelins');
  expect(await use(giver, 'gaps')).toContain('zeppelins');
  expect((await use(taker, 'session list')).match(/secret word/g)).toHaveLength(1);
});

test('a workspace that is forgotten leaves nothing, and what others have stays', async () => {
  await using world = await openTenants();
  const [stays, gone] = tenants;
  const { manager, member } = people;
  for (const tenant of [stays, gone]) {
    const use = (command: string, action: string, values: RawValues) =>
      world.use(tenant, manager, { command, action, values, thread: '1' });
    await use('source', 'qa', { question, answer: 'It is persimmon.' });
    await use('tag', 'create', { name: 'Fruit', color: '#123456' });
    await use('chatbot', 'managers', { person: 'U2' });
    await use('chatbot', 'follow', { messages: 'everything' });
    await world.say(tenant, member, { id: 'm1', thread: '1', text: question });
    await world.say(tenant, member, {
      id: 'm2',
      thread: '2',
      text: 'Who knows quixotic zeppelins?',
    });
  }
  const before = { kept: await world.kept(stays), ids: await world.ids(stays) };
  expect(await world.kept(gone)).toEqual(
    expect.arrayContaining(['session', 'gap-in', 'held-chatbots', 'workspace-settings', 'inbox']),
  );
  await world.forget(gone);
  expect(await world.kept(gone)).toEqual([]);
  expect(await world.ids(gone)).toEqual([]);
  expect({ kept: await world.kept(stays), ids: await world.ids(stays) }).toEqual(before);
  await world.forget(gone);
});
