interface Rule {
  allows: boolean;
  path: string;
}

/**
 * Whether a robots.txt allows a robot to read an address, by RFC 9309: the groups that name the
 * robot apply, otherwise those for `*`. The longest matching rule decides; in a tie, allow wins.
 *
 * @param robot the robot's product token, such as `Causeway`
 */
export function isAllowedByRobots(robotsTxt: string, robot: string, url: URL): boolean {
  const path = normalizeEscapes(url.pathname + url.search);
  const rules = toRules(robotsTxt, robot.toLowerCase());
  let decided: Rule = { allows: true, path: '' };
  for (const rule of rules) {
    if (!matches(rule.path, path) || rule.path.length < decided.path.length) continue;
    if (rule.path.length > decided.path.length || rule.allows) decided = rule;
  }
  return decided.allows;
}

function toRules(robotsTxt: string, robot: string): Rule[] {
  const own: Rule[] = [];
  const general: Rule[] = [];
  let isNamed = false;
  const agents = new Set<string>();
  let inAgents = false;
  for (const line of robotsTxt.split(/\r\n?|\n/u)) {
    const [, field = '', value = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/u.exec(line) ?? [];
    const name = field.toLowerCase();
    if (name === 'user-agent') {
      if (!inAgents) agents.clear();
      agents.add(value.trim().toLowerCase());
      inAgents = true;
      isNamed ||= agents.has(robot);
    } else if (name === 'allow' || name === 'disallow') {
      inAgents = false;
      const rule = { allows: name === 'allow', path: normalizeEscapes(value.trim()) };
      if (rule.path === '') continue;
      if (agents.has(robot)) own.push(rule);
      if (agents.has('*')) general.push(rule);
    }
  }
  return isNamed ? own : general;
}

const unreservedPattern = /[\w.~-]/u;

/** Escapes what isn't ASCII, and nothing that needs no escape (RFC 9309, 2.2.2). */
function normalizeEscapes(path: string): string {
  return path.replace(/[^\0-\x7f]+/gu, encodeURIComponent).replace(/%[\da-f]{2}/giu, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return unreservedPattern.test(character) ? character : escape.toUpperCase();
  });
}

/** `*` matches anything, a final `$` the end. Matched piece by piece, so no pattern is slow. */
function matches(pattern: string, path: string): boolean {
  const toEnd = pattern.endsWith('$');
  const [first = '', ...rest] = (toEnd ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  let position = first.length;
  for (const [index, piece] of rest.entries()) {
    const isLast = toEnd && index === rest.length - 1;
    const found = isLast ? path.length - piece.length : path.indexOf(piece, position);
    if (found < position || !path.startsWith(piece, found)) return false;
    position = found + piece.length;
  }
  return !toEnd || position === path.length;
}
