-- Tells what a consume would answer. Guarantees to write nothing.

return (look_up())
