-- Puts a handoff back that Redis has forgotten. Guarantees to write nothing where anything
-- that lives names its token, so that what has been consumed or moved never comes back.
--
-- KEYS: the marker, the redirect, the handoff under its scope. Arguments: the record, its
-- token.

if not is_forgotten(args[2], KEYS[1], KEYS[2]) then return { 'known' } end
local earlier = redis.call('GET', index_of_handoff(args[2]))
if earlier then remove(earlier) end
put(KEYS[3], args[1])
return { 'done' }
