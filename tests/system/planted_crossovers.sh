#!/bin/bash
# The tuner on a machine that is known: a recipe's times, with noise, by a planted clock.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
command -v xz > /dev/null || { echo "1..0 # SKIP there is no xz here"; exit; }
recipe=$work/recipe
umask 022
xz -dc "$source_tree/bench/results/h100-crossovers/quick.recipe.xz" > "$recipe" || exit 1
planted() { bench/planted_crossovers "$@" > "$work/output" 2> "$work/errors"; }
good() { awk '/choices good/ { print $6 }' "$work/output"; }

planted --recipe="$recipe" --runs=1 --unrest=1.2
status=$? long=$(good)
[ $status = 0 ] && grep -q '^[0-9]* times of [0-9]* samples: [0-9]* of 5000 choices good, [0-9]* routines fail, 0 classes lost$' "$work/output" &&
    grep -q '^bad choices, by routine: ' "$work/output" && [ "$long" -gt 4840 ]
result $? "as long as the quick way has most choices are good: $long of 5000"
cp "$work/output" "$work/first"
planted --recipe="$recipe" --runs=1 --unrest=1.2 && cmp -s "$work/output" "$work/first"
result $? "and the same ones another time"
planted --recipe="$recipe" --runs=1 --unrest=1.2 --seconds=6
[ $? = 0 ] && [ "$(good)" -lt $((long - 40)) ]
result $? "in less than a quarter of the time fewer: $(good)"
planted --recipe="$recipe" --runs=1 --unrest=0 && [ "$(good)" -gt "$long" ]
result $? "on a machine without noise more: $(good)"
for wrong in "--recipe=$work/none:none" "--runs=x:--runs=x" "--recipes=$recipe:--recipes" ":--recipe=FILE is missing"; do
    planted ${wrong%%:*}
    [ $? = 2 ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -qF -e "${wrong#*:}" "$work/errors" &&
        ! [ -s "$work/output" ]
    result $? "'${wrong%%:*}' is refused in one line"
done
grep -v -E '^(host|device|flags|device-sets|result|upload|wake|scan|host-blas|host-threads|narrow-shares) ' "$recipe" > "$work/changed"
planted --recipe="$work/changed"
[ $? = 2 ] && [ "$(wc -l < "$work/errors")" = 1 ]
result $? "so is a recipe that was changed"
echo "1..$number"
