"""Rankings from and to tables: the roles of columns, their values, data frames of all libraries."""
