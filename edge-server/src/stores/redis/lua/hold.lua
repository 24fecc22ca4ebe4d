-- Promises a seat. Guarantees that no more promises to other accounts live for a place than
-- the caller has room for, and that an account has one promise: the earlier one goes in the
-- step that makes the new one. A refusal gives nothing up.
--
-- KEYS: the promise. Arguments: the promise, its account, its placement, its instance, how
-- much room there is (empty: without bound).

local account, placement, instance, room = args[2], args[3], args[4], tonumber(args[5])
local seats = index_of_seats(placement, instance)
-- What its record's removal has left there, because another version could not be read.
redis.call('ZREMRANGEBYSCORE', seats, '-inf', '(' .. whole(NOW - MARGIN))

if room then
  local rivals = 0
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', seats, '(' .. whole(NOW), '+inf')) do
    -- One that this build cannot read promises nothing that it could count.
    local other = live(key)
    local here = other and other.fields.placement == placement
      and other.fields.instance == instance
    if here and other.fields.account_id ~= account then rivals = rivals + 1 end
  end
  if rivals >= room then return { 'refused' } end
end

local earlier = redis.call('GET', index_of_account_hold(account))
local own = earlier and live(earlier)
if own and own.fields.account_id == account then remove(earlier) end
put(KEYS[1], args[1])
return { 'done' }
