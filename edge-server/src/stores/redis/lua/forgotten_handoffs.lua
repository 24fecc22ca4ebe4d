-- Tells which handoffs Redis has forgotten. Guarantees to write nothing.
--
-- KEYS: marker and redirect of each token. Arguments: the tokens. Answers with those that
-- nothing names.

local forgotten = { 'forgotten' }
for number, token in ipairs(args) do
  if is_forgotten(token, KEYS[2 * number - 1], KEYS[2 * number]) then
    table.insert(forgotten, token)
  end
end
return forgotten
