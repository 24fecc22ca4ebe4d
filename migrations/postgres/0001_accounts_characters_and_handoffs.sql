-- The durable data of a deployment; coordination data is in Redis.
--
-- The tables are those of the embedded store, with the same names and meanings. Ids are
-- UUIDs, moments are milliseconds since the Unix epoch (UTC), every whole number is a BIGINT
-- so that one reader reads them all. Secrets are kept as SHA-256 only.

CREATE TABLE accounts (
    id            UUID    NOT NULL PRIMARY KEY,
    -- As it was typed at registration, for show.
    username      TEXT    NOT NULL CHECK (username <> ''),
    -- The same in lower case: two names that differ in case alone are one name.
    username_key  TEXT    NOT NULL UNIQUE CHECK (username_key <> ''),
    -- What the name looks like: two names that a reader may mix up have the same one.
    username_skeleton TEXT NOT NULL UNIQUE CHECK (username_skeleton <> ''),
    -- A PHC string; its parameters travel with it, so they can be raised later.
    password_hash TEXT    NOT NULL CHECK (password_hash <> ''),
    -- Counts its entries into the world, so that of two sessions the later one is known.
    entries       BIGINT  NOT NULL DEFAULT 0 CHECK (entries >= 0),
    created_at    BIGINT  NOT NULL CHECK (created_at >= 0)
);

CREATE TABLE logins (
    -- Hash of the access token: the table alone logs nobody in.
    token_hash TEXT    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 64),
    account_id UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    expires_at BIGINT  NOT NULL
);

-- A new password ends every login of its account.
CREATE INDEX logins_by_account ON logins (account_id);
CREATE INDEX logins_by_expiry ON logins (expires_at);

-- The one arbiter of who may write a character: its session_epoch.
CREATE TABLE characters (
    id                   UUID    NOT NULL PRIMARY KEY,
    -- Grows with each creation, so that two characters of one millisecond have an order.
    creation             BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY,
    account_id           UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    realm                TEXT    NOT NULL,
    name                 TEXT    NOT NULL CHECK (name <> ''),
    -- The name in lower case, unique among the living of a realm.
    name_key             TEXT    NOT NULL CHECK (name_key <> ''),
    -- What the name looks like (Unicode TS 39), unique among the living of a realm as well.
    name_skeleton        TEXT    NOT NULL CHECK (name_skeleton <> ''),
    appearance           TEXT    NOT NULL,
    -- Zone and tile are one value: no statement writes one without the others.
    zone                 TEXT    NOT NULL,
    tile_x               BIGINT  NOT NULL CHECK (tile_x BETWEEN 0 AND 65535),
    tile_y               BIGINT  NOT NULL CHECK (tile_y BETWEEN 0 AND 65535),
    gathered             BIGINT  NOT NULL DEFAULT 0 CHECK (gathered BETWEEN 0 AND 4294967295),
    session_epoch        BIGINT  NOT NULL DEFAULT 0 CHECK (session_epoch >= 0),
    -- The account's entry that the last raise was.
    entry                BIGINT  NOT NULL DEFAULT 0 CHECK (entry >= 0),
    -- Who raised the epoch last: all of these, or none before the first raise.
    raised_attempt_id    UUID,
    -- Hash of the handoff token that the attempt presented.
    raised_handoff       TEXT    CHECK (length(raised_handoff) = 64),
    raised_try           BIGINT  CHECK (raised_try BETWEEN 0 AND 4294967295),
    raised_session_token TEXT,
    raised_instance      TEXT,
    raised_at            BIGINT,
    -- Whether the session of that raise has been claimed: from then on its attempt is over,
    -- and no further try of it raises again.
    claimed              BOOLEAN NOT NULL DEFAULT FALSE,
    created_at           BIGINT  NOT NULL CHECK (created_at >= 0),
    -- A deleted character keeps its row and its raised epoch: were the row gone, the same id
    -- could be created again at epoch 0 and an old session would share an epoch with a new one.
    deleted_at           BIGINT,
    CHECK (
        num_nulls(raised_attempt_id, raised_handoff, raised_try, raised_session_token,
                  raised_instance, raised_at) IN (0, 6)
    )
);

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
    account_id       UUID    NOT NULL,
    -- The login that asked; once it has ended, the handoff is good for nothing.
    login_hash       TEXT    NOT NULL CHECK (length(login_hash) = 64),
    character_id     UUID    NOT NULL,
    realm            TEXT    NOT NULL,
    target_zone      TEXT    NOT NULL,
    target_placement TEXT    NOT NULL,
    target_instance  TEXT    NOT NULL,
    dungeon_run_id   UUID,
    -- Where to begin, if not where the character was last.
    start_tile_x     BIGINT,
    start_tile_y     BIGINT,
    -- What makes it a zone transfer, with its own payload version.
    transfer         JSONB,
    -- Without these two a row is never rebuilt: it could revive an authority that is gone.
    expected_epoch   BIGINT  NOT NULL CHECK (expected_epoch >= 0),
    payload_version  BIGINT  NOT NULL,
    -- Under which key the record stands.
    scope            JSONB   NOT NULL,
    expires_at       BIGINT  NOT NULL
);

CREATE INDEX handoff_tokens_by_expiry ON handoff_tokens (expires_at);
