import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/app/log.ts';

const discordToken = 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs';

describe('createLog', () => {
  const config = readConfig({
    DISCORD_TOKEN: discordToken,
    SLACK_BOT_TOKEN: 'xoxb-secret',
    SLACK_APP_TOKEN: 'xapp-secret',
    SERVICE_API_KEYS: 'service-secret-key',
    LLM_BASE_URL: 'http://127.0.0.1:1/v1',
    LLM_MODEL: 'm',
    LLM_API_KEY: 'llm-"secret"',
    EMBEDDINGS_BASE_URL: 'http://127.0.0.1:1/v1',
    EMBEDDINGS_MODEL: 'm',
    EMBEDDINGS_API_KEY: 'embeddings-secret',
    TRANSCRIPTION_BASE_URL: 'http://127.0.0.1:9/v1',
    TRANSCRIPTION_MODEL: 'whisper-1',
    TRANSCRIPTION_API_KEY: 'transcription-secret',
  });

  function logged(write: (log: ReturnType<typeof createLog>) => void): string {
    let output = '';
    write(createLog(config, { write: (line: string) => void (output += line) }));
    return output;
  }

  it('writes one JSON line per event', () => {
    const line = JSON.parse(logged((log) => log.info({ thread: 'T' }, 'hello')));
    expect(line).toMatchObject({ thread: 'T', msg: 'hello' });
  });

  it('redacts every configured secret, wherever it appears', () => {
    const secrets = [
      discordToken,
      'xoxb-secret',
      'xapp-secret',
      'service-secret-key',
      'llm-"secret"',
      'embeddings-secret',
      'transcription-secret',
    ];
    for (const secret of secrets) {
      const output = logged((log) =>
        log.error(
          { err: new Error(`GET https://x/?token=${secret}`), [secret]: 1 },
          `and ${secret}`,
        ),
      );
      expect(output).toContain('[redacted]');
      expect(output).not.toContain(JSON.stringify(secret).slice(1, -1));
    }
  });

  it('redacts fields whose names mark them as secret', () => {
    const output = logged((log) =>
      log.info({ headers: { authorization: 'Bearer abc' }, account: { token: 'abc' } }, 'x'),
    );
    expect(output).toContain('[redacted]');
    expect(output).not.toContain('abc');
  });
});
