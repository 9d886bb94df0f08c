META
key;value
description;Participatory Budgeting in Oakham 2024
country;United Kingdom
unit;Oakham
num_projects;4
num_votes;5
budget;80000
vote_type;ordinal
rule;greedy
max_length;3
PROJECTS
project_id;cost;category;votes
101;40000;public space;4
102;25000;education;3
103;60000;transport;2
104;18000;environment;4
VOTES
voter_id;age;sex;vote
1;34;F;101,104,102
2;61;M;103,101
3;27;F;104,101,103
4;45;M;101,102,104
5;52;F;102,104
