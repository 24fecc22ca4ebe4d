-- Puts all that a dead worker had in hand into the queue, due now.
--
-- Arguments: worker.

local place = PROCESSING .. args[1]
local entries = redis.call('HGETALL', place)
for number = 1, #entries, 2 do queue(entries[number], entries[number + 1], whole(NOW)) end
redis.call('DEL', place)
redis.call('SREM', WORKERS, args[1])
return { 'done', tostring(#entries / 2) }
