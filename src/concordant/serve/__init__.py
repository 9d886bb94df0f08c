"""`concordant serve`: a web page and its HTTP API. Needs the `web` extra."""
