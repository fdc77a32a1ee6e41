/** What a platform has besides messages. */
export type NamedKind = 'channel' | 'person' | 'group';

/** People whom a platform knows together: a user group of Slack's, a role of Discord's. */
export interface Group {
  id: string;
  /** As people write it, such as `@support`. */
  name: string;
}

/** What a platform calls its channels, people and groups, where a command was used. */
export interface Names {
  /**
   * The name as people write it, such as `#general`, `Ada` or `@support`; undefined where there is
   * none with this id, or the platform does not tell. Never rejects.
   */
  nameOf(kind: NamedKind, id: string): Promise<string | undefined>;
  /** The groups there are; none where the platform does not tell. Never rejects. */
  groups(): Promise<readonly Group[]>;
}
