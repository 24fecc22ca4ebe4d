-- Removes the caller's records. Guarantees to compare before it removes, so that a late
-- cleanup never touches what somebody else has put there since; nothing is removed where one
-- of the records cannot be read.
--
-- KEYS: the records. Arguments: pairs of a field and the value that is the caller's.

local own = {}
for _, key in ipairs(KEYS) do
  local record, bad = live(key)
  if bad then return bad end
  local same = record ~= nil
  for number = 1, #args, 2 do
    local value = record and record.fields[args[number]]
    local wanted = args[number + 1]
    if type(value) == 'number' then wanted = tonumber(wanted) end
    same = same and value == wanted
  end
  if same then table.insert(own, key) end
end
for _, key in ipairs(own) do remove(key) end
return { #own > 0 and 'removed' or 'nothing' }
