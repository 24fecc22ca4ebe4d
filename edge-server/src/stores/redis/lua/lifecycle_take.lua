-- Hands the first due entry to a worker. Guarantees that no two workers get it. An entry of
-- another payload version is put off and stays.
--
-- Arguments: worker, how many entries are passed over at most, how long they are put off.

local ids = redis.call('ZRANGEBYSCORE', DUE, '-inf', whole(NOW), 'LIMIT', 0, args[2])
local passed = {}
for _, id in ipairs(ids) do
  local text = redis.call('HGET', QUEUE, id)
  local parsed, fields = pcall(cjson.decode, text or '')
  if not text then
    redis.call('ZREM', DUE, id)
  elseif parsed and type(fields) == 'table' and fields.payload_version == VERSION then
    redis.call('HDEL', QUEUE, id)
    redis.call('ZREM', DUE, id)
    hand_to(args[1], id, text)
    return { 'taken', QUEUE .. ':' .. id, text }
  else
    redis.call('ZADD', DUE, whole(NOW + tonumber(args[3])), id)
    table.insert(passed, id)
  end
end
return { 'nothing', unpack(passed) }
