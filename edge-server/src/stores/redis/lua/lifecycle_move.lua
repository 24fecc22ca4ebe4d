-- Puts an entry from its worker's hand into the queue or among the dead letters. Guarantees to
-- do nothing where somebody else has taken it over.
--
-- Arguments: worker, id, entry, when it is due (empty: it is dead).

local worker, id, text, due = args[1], args[2], args[3], args[4]
if not take_from(worker, id) then return { 'nothing' } end
if due == '' then bury(id, text) else queue(id, text, due) end
return { 'done' }
