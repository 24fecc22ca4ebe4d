-- Stands before the steps of the session lifecycle journal. Guarantees that an entry stands in
-- one place, and that what finds it is written and removed with it. Entries have no end, and
-- their texts pass through as they are.
--
-- A place is a hash of entries by id. Arguments come behind the common ones.

local QUEUE, DEAD = 'session:lifecycle:queue', 'session:lifecycle:dead'
local DUE = 'index:lifecycle:due' -- entries of the queue, by when they are due
local DEAD_IDS = 'index:lifecycle:dead' -- ids of dead letters, in their order
local WORKERS = 'index:lifecycle:workers' -- who has work in hand
local PROCESSING = 'session:lifecycle:processing:'

local function hand_to(worker, id, text)
  redis.call('HSET', PROCESSING .. worker, id, text)
  redis.call('SADD', WORKERS, worker)
end

-- Whether the entry was the worker's.
local function take_from(worker, id)
  local was_there = redis.call('HDEL', PROCESSING .. worker, id) == 1
  if redis.call('EXISTS', PROCESSING .. worker) == 0 then redis.call('SREM', WORKERS, worker) end
  return was_there
end

local function queue(id, text, due)
  redis.call('HSET', QUEUE, id, text)
  redis.call('ZADD', DUE, due, id)
end

local function bury(id, text)
  redis.call('HSET', DEAD, id, text)
  redis.call('ZADD', DEAD_IDS, 0, id)
end
