"""Rankings from and to tables: what columns mean, their values, frames of all libraries."""
