-- The embedded store: durable data and coordination data in one file.
--
-- Ids are hyphenated lower-case UUIDs as text, so that a person with the sqlite3 shell can
-- read them. Moments are milliseconds since the Unix epoch, UTC. Secrets are kept as
-- SHA-256 only. Tables are STRICT: a value of the wrong type is refused, not converted.

CREATE TABLE accounts (
    id            TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    -- As it was typed at registration, for show.
    username      TEXT    NOT NULL CHECK (username <> ''),
    -- The same in lower case: two names that differ in case alone are one name.
    username_key  TEXT    NOT NULL UNIQUE CHECK (username_key <> ''),
    -- What the name looks like: two names that a reader may mix up have the same one.
    username_skeleton TEXT NOT NULL UNIQUE CHECK (username_skeleton <> ''),
    -- A PHC string; its parameters travel with it, so they can be raised later.
    password_hash TEXT    NOT NULL CHECK (password_hash <> ''),
    -- Counts its entries into the world, so that of two sessions the later one is known.
    entries       INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
    created_at    INTEGER NOT NULL CHECK (created_at >= 0)
) STRICT;

CREATE TABLE logins (
    -- Hash of the access token: the file alone logs nobody in.
    token_hash TEXT    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 64),
    account_id TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT;

-- A new password ends every login of its account.
CREATE INDEX logins_by_account ON logins (account_id);
CREATE INDEX logins_by_expiry ON logins (expires_at);

-- The one arbiter of who may write a character: its session_epoch.
CREATE TABLE characters (
    id                   TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    account_id           TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    realm                TEXT    NOT NULL,
    name                 TEXT    NOT NULL CHECK (name <> ''),
    -- The name in lower case, unique among the living of a realm.
    name_key             TEXT    NOT NULL CHECK (name_key <> ''),
    -- What the name looks like (Unicode TS 39), unique among the living of a realm as well.
    name_skeleton        TEXT    NOT NULL CHECK (name_skeleton <> ''),
    appearance           TEXT    NOT NULL,
    -- Zone and tile are one value: no statement writes one without the others.
    zone                 TEXT    NOT NULL,
    tile_x               INTEGER NOT NULL CHECK (tile_x BETWEEN 0 AND 65535),
    tile_y               INTEGER NOT NULL CHECK (tile_y BETWEEN 0 AND 65535),
    gathered             INTEGER NOT NULL DEFAULT 0 CHECK (gathered BETWEEN 0 AND 4294967295),
    session_epoch        INTEGER NOT NULL DEFAULT 0 CHECK (session_epoch >= 0),
    -- The account's entry that the last raise was.
    entry                INTEGER NOT NULL DEFAULT 0 CHECK (entry >= 0),
    -- Who raised the epoch last: all of these, or none before the first raise.
    raised_attempt_id    TEXT    CHECK (length(raised_attempt_id) = 36),
    -- Hash of the handoff token that the attempt presented.
    raised_handoff       TEXT    CHECK (length(raised_handoff) = 64),
    raised_try           INTEGER CHECK (raised_try BETWEEN 0 AND 4294967295),
    raised_session_token TEXT,
    raised_instance      TEXT,
    raised_at            INTEGER,
    -- Whether the session of that raise has been claimed: from then on its attempt is over,
    -- and no further try of it raises again.
    claimed              INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1)),
    created_at           INTEGER NOT NULL CHECK (created_at >= 0),
    -- A deleted character keeps its row and its raised epoch: were the row gone, the same id
    -- could be created again at epoch 0 and an old session would share an epoch with a new one.
    deleted_at           INTEGER,
    CHECK (
        (raised_attempt_id IS NULL) = (raised_try IS NULL)
        AND (raised_attempt_id IS NULL) = (raised_handoff IS NULL)
        AND (raised_attempt_id IS NULL) = (raised_session_token IS NULL)
        AND (raised_attempt_id IS NULL) = (raised_instance IS NULL)
        AND (raised_attempt_id IS NULL) = (raised_at IS NULL)
    )
) STRICT;

-- Deletion frees the name, so only the living compete for it.
CREATE UNIQUE INDEX characters_by_name ON characters (realm, name_key) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX characters_by_skeleton ON characters (realm, name_skeleton)
    WHERE deleted_at IS NULL;
CREATE INDEX characters_by_account ON characters (account_id, realm) WHERE deleted_at IS NULL;

-- The spec's legacy rows, from which the coordination record of a handoff can be rebuilt;
-- the claims come from accounts. No foreign keys: a row that outlives its character does no
-- harm, because whoever rebuilds from it compares expected_epoch with the character.
CREATE TABLE handoff_tokens (
    token_hash       TEXT    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 64),
    account_id       TEXT    NOT NULL,
    -- The login that asked; once it has ended, the handoff is good for nothing.
    login_hash       TEXT    NOT NULL CHECK (length(login_hash) = 64),
    character_id     TEXT    NOT NULL,
    realm            TEXT    NOT NULL,
    target_zone      TEXT    NOT NULL,
    target_placement TEXT    NOT NULL,
    target_instance  TEXT    NOT NULL,
    dungeon_run_id   TEXT,
    -- Where to begin, if not where the character was last.
    start_tile_x     INTEGER,
    start_tile_y     INTEGER,
    -- What makes it a zone transfer, as JSON with its own payload version.
    transfer         TEXT    CHECK (json_valid(transfer)),
    -- Without these two a row is never rebuilt: it could revive an authority that is gone.
    expected_epoch   INTEGER NOT NULL CHECK (expected_epoch >= 0),
    payload_version  INTEGER NOT NULL,
    -- Under which key the record stands, as JSON.
    scope            TEXT    NOT NULL CHECK (json_valid(scope)),
    expires_at       INTEGER NOT NULL
) STRICT;

CREATE INDEX handoff_tokens_by_expiry ON handoff_tokens (expires_at);

-- Coordination records under the names that a deployment uses for its Redis keys.
CREATE TABLE coordination (
    key             TEXT    NOT NULL PRIMARY KEY CHECK (key <> ''),
    payload         TEXT    NOT NULL CHECK (json_valid(payload)),
    -- Beside the payload, so that a record of the future is refused before it is parsed.
    payload_version INTEGER NOT NULL,
    -- Beside the payload, for garbage collection and for reading what still lives.
    expires_at      INTEGER NOT NULL,
    -- Set for prepared handoffs only.
    handoff_token   TEXT    CHECK (length(handoff_token) = 64)
) STRICT;

-- One handoff token stands under exactly one scope: the database itself holds this.
CREATE UNIQUE INDEX coordination_by_handoff_token ON coordination (handoff_token)
    WHERE handoff_token IS NOT NULL;
CREATE INDEX coordination_by_expiry ON coordination (expires_at);
