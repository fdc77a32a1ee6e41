import type { Endpoint } from './endpoint.ts';

/** The gateway's URL: https://docs.discord.com/developers/events/gateway#get-gateway-bot */
export function gatewayEndpoints(url: () => string): Endpoint[] {
  return [
    { method: 'GET', path: '/gateway', handle: () => ({ url: url() }) },
    {
      method: 'GET',
      path: '/gateway/bot',
      handle: () => ({
        url: url(),
        shards: 1,
        session_start_limit: {
          total: 1000,
          remaining: 1000,
          reset_after: 86_400_000,
          max_concurrency: 1,
        },
      }),
    },
  ];
}
