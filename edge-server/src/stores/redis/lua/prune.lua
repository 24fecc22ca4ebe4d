-- Removes what has expired, some of it at a time. Guarantees to touch nothing that lives:
-- the end in the index is the record's own, because both are written in one step.
--
-- Arguments: how many records at most. Answers with how many were removed, and how many
-- places of the index were looked at: fewer than asked for means that none are left.

local ended = redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', whole(NOW), 'LIMIT', 0, args[1])
local removed = 0
for _, key in ipairs(ended) do removed = removed + remove(key) end
return { 'pruned', tostring(removed), tostring(#ended) }
