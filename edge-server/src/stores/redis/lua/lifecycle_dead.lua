-- Lists dead letters in the order of their ids. Guarantees to write nothing.
--
-- Arguments: the id to begin after (empty: the first), how many.

local after = args[1] == '' and '-' or '(' .. args[1]
local listed = { 'listed' }
for _, id in ipairs(redis.call('ZRANGEBYLEX', DEAD_IDS, after, '+', 'LIMIT', 0, args[2])) do
  table.insert(listed, id)
  table.insert(listed, redis.call('HGET', DEAD, id) or '')
end
return listed
