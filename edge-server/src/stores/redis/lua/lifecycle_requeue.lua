-- Puts a dead letter into the queue, due now. Guarantees to do nothing unless it stands there
-- as the caller has read it.
--
-- Arguments: id, the entry as it was read, the entry as it shall be.

local id, seen, revived = args[1], args[2], args[3]
if redis.call('HGET', DEAD, id) ~= seen then return { 'nothing' } end
redis.call('HDEL', DEAD, id)
redis.call('ZREM', DEAD_IDS, id)
queue(id, revived, whole(NOW))
return { 'done' }
