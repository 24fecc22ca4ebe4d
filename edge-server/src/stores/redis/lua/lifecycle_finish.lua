-- Strikes an entry out of a worker's hand; does nothing where it is not there.
--
-- Arguments: worker, id.

return { take_from(args[1], args[2]) and 'done' or 'nothing' }
