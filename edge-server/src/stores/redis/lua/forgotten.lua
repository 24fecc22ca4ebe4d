-- Stands before the steps that ask what Redis has forgotten. Guarantees that whatever lives
-- and names a token counts, be it readable or not.

local function stands(key)
  local record, bad = live(key)
  return record ~= nil or bad ~= nil
end

local function is_forgotten(token, marker, redirect)
  if stands(marker) or stands(redirect) then return false end
  local key = redis.call('GET', index_of_handoff(token))
  return not (key and stands(key))
end
