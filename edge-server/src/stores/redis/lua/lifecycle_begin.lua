-- Writes an entry down that its worker begins at once.
--
-- Arguments: worker, id, entry.

hand_to(args[1], args[2], args[3])
return { 'done' }
