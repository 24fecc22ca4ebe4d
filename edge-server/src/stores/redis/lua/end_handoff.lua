-- Removes a handoff whose time is over, and the promise of a seat with it. Guarantees to touch
-- neither where the record lives, has been used, or cannot be read.
--
-- KEYS: the promise. Arguments: the token.

local key = redis.call('GET', index_of_handoff(args[1]))
local record, bad
if key then record, bad = read(key) end
if bad then return bad end
if not record or not has_passed(record) then return { 'nothing' } end
remove(key)
remove(KEYS[1])
return { 'removed' }
