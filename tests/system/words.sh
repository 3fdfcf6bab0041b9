#!/bin/bash
# The pages say of prices what the policy has.
. tests/environment.sh
. "$source_tree/tests/tap.sh"

# The number that policy.c gives the name.
number_of() { sed -n "s/.*\<$1 = \([0-9.]*\).*/\1/p" "$source_tree/src/interpose/policy.c"; }
part_words=([1]=all [2]=half [3]="a third" [4]="a quarter" [5]="a fifth" [6]="a sixth" [7]="a seventh" [8]="an eighth")
waking=${part_words[$(number_of WAKING_PART)]} preparing=${part_words[$(number_of PREPARING_PART)]}
used=${part_words[$(awk -v part="$(number_of used_saved_part)" 'BEGIN { print 1 / part }')]}
host_most=$(awk -v part="$(number_of used_host_part)" 'BEGIN { print (part > 0.5 && part < 1) }')

tells() # WORDS FILE WHAT
{
    tr -s '\n ' '  ' < "$source_tree/$2" | grep -qF -- "$1"
    result $? "$2: $3"
}
tells "would have gained, by the predicted times, $waking of what waking a GPU costs" doc/use.md "when waking begins: $waking"
tells "would have gained $waking of what that costs" man/mublas.1 "when waking begins: $waking"
tells "go to the GPU once $used of the price" doc/use.md "when it is used: $used"
tells "run on it once they would have gained $used of the cost" man/mublas.1 "when it is used: $used"
tells "prepared from $preparing of their own price on" doc/use.md "when cuBLAS is prepared: $preparing"
tells "prepares cuBLAS and each of its routines from $preparing of their own price on" man/mublas.1 "when cuBLAS is prepared: $preparing"
[ "$host_most" = 1 ]
result $? "and what is spent on the host meanwhile is most of it, but not all"
echo "1..$number"
