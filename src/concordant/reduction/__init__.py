"""A problem taken apart once, for search and proof alike: components, twins, subsets."""
