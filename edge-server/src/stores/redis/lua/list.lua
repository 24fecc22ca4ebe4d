-- Lists a family: after the outcome, key and text of each record, lapsed or not, in the order
-- of their keys; no text where Redis has collected the record. Guarantees to look at so many
-- keys at most, and to write nothing.
--
-- Arguments: what the family's keys begin with, the key to begin after (empty: the first),
-- how many keys.

local after = args[2] == '' and '-' or '(' .. args[2]
local keys = redis.call('ZRANGEBYLEX', index_of_listed(args[1]), after, '+', 'LIMIT', 0, args[3])
local listed = { 'listed' }
for _, key in ipairs(keys) do
  table.insert(listed, key)
  table.insert(listed, redis.call('GET', key) or '')
end
return listed
