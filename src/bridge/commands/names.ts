/** What a platform has names for. */
export type NamedKind = 'channel' | 'person' | 'group';

/** A group of people on a platform: a Slack user group or a Discord role. */
export interface Group {
  id: string;
  /** As people write it, such as `@support`. */
  name: string;
}

/** Looks up names of channels, people and groups where a command was used. */
export interface Names {
  /**
   * The name as people write it, such as `#general`, `Ada` or `@support`; undefined if the id is
   * unknown or the platform does not answer. Never rejects.
   */
  nameOf(kind: NamedKind, id: string): Promise<string | undefined>;
  /** All groups; empty if the platform does not list them. Never rejects. */
  groups(): Promise<readonly Group[]>;
}
