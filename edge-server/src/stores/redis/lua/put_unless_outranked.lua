-- Writes one record under all of the keys. Guarantees that a live record with a higher rank
-- stands as it was, and then none of the keys is written.
--
-- KEYS: where the record shall stand. Arguments: the record, then for each key the field
-- that ranks its records.

local ours = cjson.decode(args[1])
for number, key in ipairs(KEYS) do
  local standing, bad = live(key)
  if bad then return bad end
  local rank = args[1 + number]
  local theirs = standing and standing.fields[rank]
  if standing and type(theirs) ~= 'number' then return { 'unreadable', key, standing.text } end
  if standing and theirs > ours[rank] then return { 'superseded' } end
end
for _, key in ipairs(KEYS) do put(key, args[1]) end
return { 'done' }
