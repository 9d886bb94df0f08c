META
key;value
vote_type;ordinal
PROJECTS
project_id
