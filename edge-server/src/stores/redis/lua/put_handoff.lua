-- Stores a prepared handoff. Guarantees that its token stands under one scope: the record
-- that stood under another is gone once this one is there. One of another payload version
-- stays, and then nothing is written.
--
-- KEYS: the handoff under its scope. Arguments: the record, its token.

local earlier = redis.call('GET', index_of_handoff(args[2]))
if earlier then
  local record, bad = read(earlier)
  bad = bad or record and foreign(record)
  if bad then return bad end
  remove(earlier)
end
put(KEYS[1], args[1])
return { 'done' }
