"""Methods of aggregation: `registry` lists them, each other module holds one or a few."""
