/**
 * Where the address of a file leads: to its bytes, or by a redirect to another of Slack's hosts that
 * wants the token again (`origin`), to a presigned address that must not get it (`edge`), to a page to
 * sign in (`sign-in`), or to a host that isn't Slack's (`elsewhere`).
 */
export const fileHosts = ['direct', 'origin', 'edge', 'sign-in', 'elsewhere'] as const;
export type FileHost = (typeof fileHosts)[number];

/** How Slack behaves where real workspaces differ. */
export interface SlackSwitches {
  fileHost: FileHost;
  /**
   * Whether the app is one that is distributed commercially outside the Marketplace: it reads history
   * with one call a minute, and 15 messages a call.
   */
  limitsHistory?: boolean;
  /** How long a bot’s next token lives, in seconds; by default as the app’s manifest has it. */
  tokenLifetime?: number;
  /** A redirect URL of the app besides those of its manifest, and the one for apps that name none. */
  redirectUrl?: string;
  /** The app’s own page where people begin to install it. */
  installUrl?: string;
}
