/** @param {{ name: string, subcommand?: string }} command */
export function commandLabel({ name, subcommand }) {
  return `/${name}${subcommand ? ` ${subcommand}` : ''}`;
}
