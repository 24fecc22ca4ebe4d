-- Stands before preflight, consume and redirect. Guarantees that all three see the same of a
-- token, in one order: the marker speaks first, so that a record which was put again after
-- its consume is still spent.
--
-- KEYS: the marker, the redirect, the promise of a seat, then the handoff under each of the
-- claimant's scopes. Arguments: token, attempt, instance.

local MARKER, REDIRECT, HOLD = KEYS[1], KEYS[2], KEYS[3]
local TOKEN, ATTEMPT, INSTANCE = args[1], args[2], args[3]

local function may_take(key)
  for number = 4, #KEYS do
    if KEYS[number] == key then return true end
  end
  return false
end

-- The answer of preflight, and the record where it is prepared for the claimant.
local function look_up()
  local marker, bad = live(MARKER)
  if bad then return bad end
  if marker then
    local own = marker.fields.attempt_id == ATTEMPT and marker.fields.instance == INSTANCE
    if own then return { 'consumed_by_self', MARKER, marker.text } end
    return { 'consumed_by_other' }
  end
  local key = redis.call('GET', index_of_handoff(TOKEN))
  if not key then return { 'nothing' } end
  local record
  record, bad = read(key)
  if bad then return bad end
  if not record or has_passed(record) then return { 'nothing' } end
  if may_take(key) then
    bad = foreign(record)
    if bad then return bad end
    return { 'prepared', key, record.text }, record
  end
  -- Whoever it was meant for before may learn where it has gone; it opens nothing here.
  local left
  left, bad = live(REDIRECT)
  if bad then return bad end
  if left then return { 'moved', REDIRECT, left.text } end
  return { 'nothing' }
end
