-- Consumes a handoff. Guarantees that a token is given out once: in one step the record is
-- taken, the marker with the claimant stands, and the promise of a seat is used up. Whoever
-- consumed gets the same record again from the marker; for anybody else, and wherever there
-- is nothing to take, nothing is written.
--
-- Arguments after those of the look-up: how many milliseconds the marker outlives the record.

local answer, record = look_up()
if not record then return answer end
local marker = '{"payload_version":' .. VERSION
  .. ',"attempt_id":"' .. ATTEMPT
  .. '","instance":"' .. INSTANCE
  .. '","record":' .. record.text
  .. ',"expires_at":' .. whole(record.fields.expires_at + tonumber(args[4])) .. '}'
remove(record.key)
remove(HOLD)
put(MARKER, marker)
return answer
