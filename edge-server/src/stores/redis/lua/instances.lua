-- Lists the registry: after the outcome, key and record of every instance, lapsed or not.
-- Guarantees to show one moment, and to write nothing.

local listed = { 'listed' }
for _, key in ipairs(redis.call('SMEMBERS', INSTANCES)) do
  local text = redis.call('GET', key)
  if text then
    table.insert(listed, key)
    table.insert(listed, text)
  end
end
return listed
