"""What a table means: its cells, the roles of its columns, its values, and what is unclear."""
