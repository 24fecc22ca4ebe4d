-- Opens every step. Guarantees that a record and what it is found by are written and
-- removed together, that a live record of another payload version is reported before
-- anything is written, and that expiry is judged by the caller's `now`.
--
-- A step gets the keys of records in KEYS; ARGV begins with what stands here. Records are
-- JSON and pass through as the text that they are: this file reads their fields and never
-- writes JSON of its own, because a number or an empty list would come out as another.
-- Numbers are doubles here, and exact: epochs and entries count by one, moments and
-- incarnations are milliseconds, and all of them stay below 2^53 for ages.
--
-- A step answers with a list of texts, the first of which names the outcome. `bad` is such
-- an answer about a record that cannot be read: whoever gets one returns it.

local VERSION = tonumber(ARGV[1])
-- Without one, every record counts as live.
local NOW = tonumber(ARGV[2])
-- How long Redis keeps what has expired, for callers whose clocks are behind.
local MARGIN = tonumber(ARGV[3])
-- How long Redis keeps what was written without a `now`.
local UNTIMED = tonumber(ARGV[4])
-- The step's own arguments.
local args = { unpack(ARGV, 5) }

-- Longer lives make no difference, and Redis refuses those beyond its integers.
local LONGEST = 10 ^ 15

-- What records are found by. None of it is a record: each holds keys of records, and one
-- that is missing there, or stands there without its record, is made good by the next write.
local EXPIRY = 'index:expiry' -- every record, by its end
local INSTANCES = 'index:instances' -- every registered instance
-- The families that are listed, by what their keys begin with, and the keys of each.
local LISTED = { 'login:handoff:', 'presence:character:', 'realtime:resume:' }
local function index_of_listed(prefix) return 'index:listed:' .. prefix end
local function index_of_handoff(token) return 'index:handoff:' .. token end
local function index_of_account_hold(account) return 'index:hold:account:' .. account end
local function index_of_seats(placement, instance)
  return 'index:hold:seats:' .. placement .. ':' .. instance
end

-- A number as text without an exponent.
local function whole(number) return string.format('%.0f', number) end

-- Nothing may fail once a step has begun to write: Redis takes nothing back.
local function as_text(value) return type(value) == 'string' and value or '' end

local function begins(key, prefix) return string.sub(key, 1, #prefix) == prefix end

local function is_handoff(key) return begins(key, 'login:handoff:') end
local function is_hold(key) return begins(key, 'assign:hold:') end
local function is_instance(key) return begins(key, 'registry:instance:') end

-- The index that lists a key, if one does.
local function listing_of(key)
  for _, prefix in ipairs(LISTED) do
    if begins(key, prefix) then return index_of_listed(prefix) end
  end
end

local function token_of(key) return string.match(key, '[^:]*$') end

-- The record under a key whatever its version and end, or nil; or nil and `bad`.
local function read(key)
  local text = redis.call('GET', key)
  if not text then return nil end
  local parsed, fields = pcall(cjson.decode, text)
  if not parsed or type(fields) ~= 'table' or type(fields.expires_at) ~= 'number' then
    return nil, { 'unreadable', key, text }
  end
  return { key = key, text = text, fields = fields }
end

local function has_passed(record) return NOW ~= nil and record.fields.expires_at <= NOW end

-- Nil, or `bad` where the record is of another version.
local function foreign(record)
  if record.fields.payload_version ~= VERSION then
    return { 'unreadable', record.key, record.text }
  end
end

-- The record under a key if it lives, or nil; or nil and `bad`. What has expired is as good
-- as gone, whatever its version.
local function live(key)
  local record, bad = read(key)
  if not record or has_passed(record) then return nil, bad end
  bad = foreign(record)
  if bad then return nil, bad end
  return record
end

-- Takes a key out of what it is found by; `record` is what stands there, as far as it can
-- be read.
local function unindex(key, record)
  redis.call('ZREM', EXPIRY, key)
  local listing = listing_of(key)
  if listing then redis.call('ZREM', listing, key) end
  if is_instance(key) then
    redis.call('SREM', INSTANCES, key)
  elseif is_handoff(key) then
    local index = index_of_handoff(token_of(key))
    if redis.call('GET', index) == key then redis.call('DEL', index) end
  elseif is_hold(key) and record then
    -- Of another version, or damaged: it is left out where it is looked for.
    local hold = record.fields
    local seats = index_of_seats(as_text(hold.placement), as_text(hold.instance))
    redis.call('ZREM', seats, key)
    local index = index_of_account_hold(as_text(hold.account_id))
    if redis.call('GET', index) == key then redis.call('DEL', index) end
  end
end

-- Removes a record, whatever it is; gives how many there were.
local function remove(key)
  local record = is_hold(key) and read(key) or nil
  unindex(key, record)
  return redis.call('DEL', key)
end

-- Writes a record over whatever stands under the key.
local function put(key, text)
  local fields = cjson.decode(text)
  local life = UNTIMED
  if NOW then life = math.max(fields.expires_at - NOW, 0) + MARGIN end
  life = whole(math.min(life, LONGEST))
  if is_hold(key) then remove(key) end
  redis.call('SET', key, text, 'PX', life)
  redis.call('ZADD', EXPIRY, whole(fields.expires_at), key)
  local listing = listing_of(key)
  -- All of one score: they are listed in the order of their keys.
  if listing then redis.call('ZADD', listing, 0, key) end
  if is_instance(key) then
    redis.call('SADD', INSTANCES, key)
  elseif is_handoff(key) then
    redis.call('SET', index_of_handoff(token_of(key)), key, 'PX', life)
  elseif is_hold(key) then
    redis.call('SET', index_of_account_hold(fields.account_id), key, 'PX', life)
    local seats = index_of_seats(fields.placement, fields.instance)
    redis.call('ZADD', seats, whole(fields.expires_at), key)
  end
end
