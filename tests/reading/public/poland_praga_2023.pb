META;
key;value
description;District PB in Warsaw, Praga
country;Poland
num_projects;4
num_votes;4
budget;100000
vote_type;approval
rule;greedy
PROJECTS
project_id;cost;votes;name;selected
18;30000;3;"Trees; benches";1
21;52000;2;Street workout;1
33;9000;1;Book crossing;1
40;70000;0;Car park;0
VOTES
voter_id;vote;age;sex
7;18,21;33;F
8;18;51;M
9;33,18;24;F
10;21;47;M
