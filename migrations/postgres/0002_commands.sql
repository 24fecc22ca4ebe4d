-- The last command of the character's session whose effect is durable. It is written in the
-- statement that has the effect, so a command that comes again after a lost answer or a crash
-- has none. 0 before the first; an admission begins a new count.
ALTER TABLE characters ADD COLUMN command_sequence BIGINT NOT NULL DEFAULT 0
    CHECK (command_sequence BETWEEN 0 AND 4294967295);
