-- Gives up the promise to an account. Guarantees to touch no other account's, and none that
-- this build cannot read.
--
-- Arguments: the account.

local key = redis.call('GET', index_of_account_hold(args[1]))
local own = key and live(key)
if own and own.fields.account_id == args[1] then remove(key) end
return { 'done' }
