/** The tables of the service's database, without the triggers that count what is stored (usage.ts). */
export const tables = `
  CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE keys (
    hash BLOB PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    last_used_ms INTEGER,
    revoked_ms INTEGER
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
    modified_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0
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

  -- A source's number is never used again, so a choice may contain what is gone.
  CREATE TABLE sources (
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
  CREATE INDEX sources_by_status ON sources (status);
  -- A list is read in pages without sorting all of it for each.
  CREATE INDEX sources_in_order ON sources (chatbot);

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

  CREATE TABLE agent_tags (
    agent TEXT NOT NULL REFERENCES agents (uuid) ON DELETE CASCADE,
    tag TEXT NOT NULL REFERENCES tags (uuid) ON DELETE CASCADE,
    PRIMARY KEY (agent, tag)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX agent_tags_by_tag ON agent_tags (tag);

  -- Which sources an agent or tag has chosen is written in steps, and then given to it at once.
  CREATE TABLE choices (
    id INTEGER PRIMARY KEY,
    agent TEXT UNIQUE REFERENCES agents (uuid) ON DELETE SET NULL,
    tag TEXT UNIQUE REFERENCES tags (uuid) ON DELETE SET NULL
  ) STRICT;
  CREATE INDEX choices_unused ON choices (id) WHERE agent IS NULL AND tag IS NULL;
  -- There is no index by source: with one, each source would write a page for each row.
  CREATE TABLE chosen_sources (
    choice INTEGER NOT NULL REFERENCES choices (id),
    source INTEGER NOT NULL,
    PRIMARY KEY (choice, source)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL REFERENCES chatbots (uuid) ON DELETE CASCADE,
    variables TEXT NOT NULL,
    learned TEXT NOT NULL DEFAULT '{}',
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX sessions_by_chatbot ON sessions (chatbot, created_ms);
  CREATE INDEX sessions_by_use ON sessions (modified_ms);
  CREATE INDEX sessions_in_order ON sessions (chatbot);

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
  -- The newest messages of a session are read in the order of their ids, without sorting them all.
  CREATE INDEX messages_in_order ON messages (session);

  CREATE TABLE reply_deltas (
    id INTEGER PRIMARY KEY,
    message TEXT NOT NULL,
    delta TEXT NOT NULL
  ) STRICT;

  -- A session remembers the documents that its messages named, and takes them along.
  CREATE TABLE session_documents (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    session TEXT REFERENCES sessions (uuid) ON DELETE CASCADE,
    file_name TEXT NOT NULL,
    document TEXT NOT NULL,
    created_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX session_documents_by_owner ON session_documents (owner, created_ms);
  CREATE INDEX session_documents_by_session ON session_documents (session);
  CREATE INDEX session_documents_by_age ON session_documents (created_ms);

  -- A row is a version of a source's passages. The live one has the uuid of its source; a draft and
  -- what is retired have one of their own.
  CREATE TABLE passage_source (
    number INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL,
    title TEXT NOT NULL,
    file_name TEXT NOT NULL,
    type TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    tokens_version INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'live',
    draft_of TEXT,
    published_ms INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX passage_source_chatbot ON passage_source (chatbot);
  CREATE INDEX passage_source_hidden ON passage_source (state) WHERE state <> 'live';

  CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES passage_source (number),
    text TEXT NOT NULL,
    headings TEXT NOT NULL,
    page INTEGER,
    "start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    tokens INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX passage_of_source ON passage (source);

  CREATE TABLE passage_terms (
    passage INTEGER PRIMARY KEY REFERENCES passage (id) ON DELETE CASCADE,
    terms BLOB NOT NULL
  ) STRICT;

  CREATE TABLE passage_vector (
    passage INTEGER PRIMARY KEY REFERENCES passage (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
  ) STRICT;

  -- Tokens are indexed with the chatbot's uuid as prefix: a search reads only its own chatbot's
  -- postings, and the index's frequency of a token is that chatbot's. SQLite's ascii tokenizer keeps
  -- every character above U+007F, so what tokenize makes stays whole in any script.
  CREATE VIRTUAL TABLE passage_index USING fts5 (
    source, headings, body, content='', contentless_delete=1, tokenize="ascii tokenchars '+#'"
  );
  -- Removing a passage would merge whole segments at once: that is done in steps.
  INSERT INTO passage_index (passage_index, rank) VALUES ('deletemerge', 0);
  CREATE VIRTUAL TABLE passage_instance USING fts5vocab (passage_index, 'instance');
  CREATE TABLE passage_removals (
    id INTEGER PRIMARY KEY CHECK (id = 1), removed INTEGER NOT NULL, purged INTEGER NOT NULL
  ) STRICT;
  INSERT INTO passage_removals VALUES (1, 0, 0);

  -- A version is random: one that was rolled back never comes again.
  CREATE TABLE passage_changes (
    chatbot TEXT PRIMARY KEY, version TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
