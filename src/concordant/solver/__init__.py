"""`auto` and `exact`: a memetic search with its proof beside it, part by part."""
