/**
 * The schema's migrations in order: `PRAGMA user_version` is the number applied. Never edit a
 * released one; add a new one. Passages have their own tables (passage-store.ts).
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE keys (
    hash BLOB PRIMARY KEY,
    owner TEXT NOT NULL,
    created_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE chatbots (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    rate_messages INTEGER NOT NULL,
    rate_seconds INTEGER NOT NULL,
    rate_limit_message TEXT NOT NULL,
    show_citations INTEGER NOT NULL,
    visibility TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX chatbots_by_owner ON chatbots (owner);

  CREATE TABLE agents (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL REFERENCES chatbots (uuid) ON DELETE CASCADE,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    use_all_sources INTEGER NOT NULL,
    settings TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX agents_by_chatbot ON agents (chatbot);

  CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL REFERENCES chatbots (uuid) ON DELETE CASCADE,
    type TEXT NOT NULL,
    identity TEXT,
    title TEXT NOT NULL,
    title_is_given INTEGER NOT NULL,
    file_name TEXT NOT NULL,
    file_size INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    status TEXT NOT NULL,
    meta TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    UNIQUE (chatbot, identity)
  ) STRICT;
  CREATE INDEX sources_by_status ON sources (status);

  CREATE TABLE agent_sources (
    agent TEXT NOT NULL REFERENCES agents (uuid) ON DELETE CASCADE,
    source TEXT NOT NULL REFERENCES sources (uuid) ON DELETE CASCADE,
    PRIMARY KEY (agent, source)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX agent_sources_by_source ON agent_sources (source);

  CREATE TABLE tags (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL REFERENCES chatbots (uuid) ON DELETE CASCADE,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tags_by_chatbot ON tags (chatbot);

  CREATE TABLE tag_sources (
    tag TEXT NOT NULL REFERENCES tags (uuid) ON DELETE CASCADE,
    source TEXT NOT NULL REFERENCES sources (uuid) ON DELETE CASCADE,
    PRIMARY KEY (tag, source)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tag_sources_by_source ON tag_sources (source);

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL REFERENCES chatbots (uuid) ON DELETE CASCADE,
    variables TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_chatbot ON sessions (chatbot, created_ms);

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL REFERENCES sessions (uuid) ON DELETE CASCADE,
    query TEXT NOT NULL,
    response TEXT NOT NULL,
    citations TEXT NOT NULL,
    finish_reason TEXT NOT NULL,
    error_message TEXT NOT NULL,
    meta TEXT NOT NULL,
    is_done INTEGER NOT NULL,
    is_limited INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX messages_by_session ON messages (session, created_ms);
  CREATE INDEX messages_not_done ON messages (is_done) WHERE is_done = 0;

  CREATE TABLE session_documents (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    file_name TEXT NOT NULL,
    document TEXT NOT NULL,
    created_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX session_documents_by_owner ON session_documents (owner, created_ms);
  `,
  `
  CREATE TABLE reply_deltas (
    id INTEGER PRIMARY KEY,
    message TEXT NOT NULL,
    delta TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE agent_tags (
    agent TEXT NOT NULL REFERENCES agents (uuid) ON DELETE CASCADE,
    tag TEXT NOT NULL REFERENCES tags (uuid) ON DELETE CASCADE,
    PRIMARY KEY (agent, tag)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX agent_tags_by_tag ON agent_tags (tag);

  ALTER TABLE sessions ADD COLUMN learned TEXT NOT NULL DEFAULT '{}';
  `,
  `
  -- The newest messages of a session are read in the order of their ids, without sorting them all.
  CREATE INDEX messages_in_order ON messages (session);
  `,
  `
  -- Agents had a temperature of 0 unless they were given another. Now they have none.
  UPDATE agents SET settings = json_remove(settings, '$.temperature')
  WHERE json_extract(settings, '$.temperature') = 0;
  `,
  `
  -- Agents had escalation settings from the start. Now only those whose settings were ever set have.
  UPDATE agents SET settings = json_remove(settings, '$.human_escalation_settings')
  WHERE json_extract(settings, '$.human_escalation_settings') = json_object(
    'human_requested_message', '', 'live_chat_start_announcement', '',
    'live_chat_end_announcement', '', 'monitored_messages', json_array(),
    'notifications_enabled', json('false'), 'sound_enabled', json('false'));
  `,
  `
  -- What is too old is found without reading everything.
  CREATE INDEX IF NOT EXISTS sessions_by_use ON sessions (modified_ms);
  CREATE INDEX IF NOT EXISTS session_documents_by_age ON session_documents (created_ms);
  `,
  `
  -- A source's status is a word that clients know. What was running had all its passages.
  UPDATE sources SET status = 'embedding', meta = json_set(meta, '$.stage', 'indexing')
  WHERE status = 'running';
  UPDATE sources SET status = 'await' WHERE status IN ('downloading', 'extracting');
  UPDATE sources SET status = 'fail' WHERE status = 'error';
  `,
  `
  -- Keys and owners are apart. The next start names the owners there are (owners.ts).
  CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    name TEXT UNIQUE,
    created_ms INTEGER NOT NULL
  ) STRICT;
  INSERT INTO owners (id, created_ms)
    SELECT owner, min(created_ms) FROM (
      SELECT owner, created_ms FROM keys
      UNION ALL SELECT owner, created_ms FROM chatbots
      UNION ALL SELECT owner, created_ms FROM session_documents
    ) GROUP BY owner ORDER BY min(created_ms);

  ALTER TABLE keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
  ALTER TABLE keys ADD COLUMN prefix TEXT NOT NULL DEFAULT '';
  ALTER TABLE keys ADD COLUMN last_used_ms INTEGER;
  ALTER TABLE keys ADD COLUMN revoked_ms INTEGER;
  -- Where these keys begin is not known.
  UPDATE keys SET name = 'first key', prefix = 'first-' || lower(hex(substr(hash, 1, 4)));
  `,
  `
  -- A session remembers the documents that its messages named, and takes them along.
  ALTER TABLE session_documents ADD COLUMN session TEXT REFERENCES sessions (uuid) ON DELETE CASCADE;
  CREATE INDEX session_documents_by_session ON session_documents (session);
  `,
  `
  -- The bytes of an owner's sources are counted without reading the sources.
  CREATE INDEX IF NOT EXISTS sources_by_size ON sources (chatbot, file_size);
  `,
  `
  -- Which sources an agent or tag has chosen is written in steps, and then given to it at once.
  CREATE TABLE choices (
    id INTEGER PRIMARY KEY,
    agent TEXT UNIQUE REFERENCES agents (uuid) ON DELETE SET NULL,
    tag TEXT UNIQUE REFERENCES tags (uuid) ON DELETE SET NULL
  ) STRICT;
  CREATE INDEX choices_unused ON choices (id) WHERE agent IS NULL AND tag IS NULL;
  CREATE TABLE chosen_sources (
    choice INTEGER NOT NULL REFERENCES choices (id),
    source INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    PRIMARY KEY (choice, source)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chosen_sources_by_source ON chosen_sources (source);

  INSERT INTO choices (agent) SELECT DISTINCT agent FROM agent_sources;
  INSERT INTO choices (tag) SELECT DISTINCT tag FROM tag_sources;
  INSERT INTO chosen_sources
    SELECT choices.id, sources.id FROM choices
    JOIN agent_sources ON agent_sources.agent = choices.agent
    JOIN sources ON sources.uuid = agent_sources.source;
  INSERT INTO chosen_sources
    SELECT choices.id, sources.id FROM choices
    JOIN tag_sources ON tag_sources.tag = choices.tag
    JOIN sources ON sources.uuid = tag_sources.source;
  DROP TABLE agent_sources;
  DROP TABLE tag_sources;

  -- A list is read in pages without sorting all of it for each.
  CREATE INDEX sessions_in_order ON sessions (chatbot);
  CREATE INDEX sources_in_order ON sources (chatbot);
  `,
  `
  -- A source's number is never used again. So a choice may contain what is gone, and nothing needs to
  -- be found by source: an index by source made each source write a page for each row.
  CREATE TABLE kept_choices (
    choice INTEGER NOT NULL REFERENCES choices (id),
    source INTEGER NOT NULL,
    PRIMARY KEY (choice, source)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO kept_choices SELECT choice, source FROM chosen_sources;
  DROP TABLE chosen_sources;
  ALTER TABLE kept_choices RENAME TO chosen_sources;

  CREATE TABLE kept_sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL REFERENCES chatbots (uuid) ON DELETE CASCADE,
    type TEXT NOT NULL,
    identity TEXT,
    title TEXT NOT NULL,
    title_is_given INTEGER NOT NULL,
    file_name TEXT NOT NULL,
    file_size INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    status TEXT NOT NULL,
    meta TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    UNIQUE (chatbot, identity)
  ) STRICT;
  INSERT INTO kept_sources SELECT * FROM sources;
  DROP TABLE sources;
  ALTER TABLE kept_sources RENAME TO sources;
  CREATE INDEX sources_by_status ON sources (status);
  CREATE INDEX sources_by_size ON sources (chatbot, file_size);
  CREATE INDEX sources_in_order ON sources (chatbot);
  `,
  `
  -- All that an owner stores is counted as it is written (usage.ts).
  DROP INDEX sources_by_size;
  `,
];
