-- Moves a handoff to another instance. Guarantees that record and promise move together,
-- from exactly what the caller has seen of them, and leave the way to where they have gone;
-- otherwise nothing is written. The caller writes the JSON, so it asks twice: an answer of
-- `prepared` shows what stands there, and `done` says that it has moved.
--
-- Arguments after those of the look-up: the record and the promise that the caller has seen
-- (empty where none), then what takes their place, the key of the record's new place, and
-- the redirect.

local answer, record = look_up()
if not record then return answer end
local hold, bad = live(HOLD)
if bad then return bad end
local promised = hold and hold.text or ''
if record.text ~= args[4] or promised ~= args[5] then
  return { 'prepared', record.key, record.text, promised }
end
local moved, moved_hold, moved_key, redirect = args[6], args[7], args[8], args[9]
remove(record.key)
put(moved_key, moved)
put(REDIRECT, redirect)
if hold then put(HOLD, moved_hold) end
return { 'done' }
