"""What the formats share: the registry, the source of a reader, text, numbers and tables."""
