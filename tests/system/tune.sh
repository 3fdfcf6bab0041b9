#!/bin/bash
# `mublas tune` on the emulated device with a model of time (tests/emulated_driver/time_model.h):
# it finds planted optima through noise, outliers and throttling, leaves wrong shapes out, goes on
# after an interruption; and what becomes of recipes that are not as they should be.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_REPORT MUBLAS_OFFLOAD MUBLAS_RECIPE MUBLAS_VERBOSE LD_PRELOAD
use_emulated_driver
export EMULATED_POISON=0 HOME=$work/home XDG_CONFIG_HOME=
mkdir "$work/home"
recipe=$work/recipe
tune() { "$build/mublas" tune --shapes-only --memory=256 --output="$recipe" "$@" > "$work/output" 2> "$work/errors"; }
# rule CLASS FORM NUMBER: the words of a rule.
rule() { awk -v class="$1" -v form="$2" -v number="$3" '
    $1 == "class" { found = $2 == class && $3 == form; seen = 0; next }
    found && ($1 == "upto" || $1 == "beyond") && ++seen == number' "$recipe"; }
# rules_lose_less CLASS PERCENT: by the summary, over all its forms.
rules_lose_less() { awk -v class="$1" -v most="$2" '
    $1 == class { seen++; lose = $7; sub(/%/, "", lose); if (lose + 0 > most) bad = 1 } END { exit bad || !seen }' \
    "$work/output"; }

# dsymv: small sizes, up to n = 608, want other shapes than large ones, which take twice as long there:
# a rule's end beside that loses much at a size or two.
planted="optimum dsymv 608 64 128 1 4 2; optimum dsymv 99999 256 512 1 1 0"
planted="$planted; optimum dgemv_none 99999 128 64 2 1 0; optimum strmv_none 99999 128 64 2 1 0"
# Noise is no matter of sanitizers, under which a run takes seven times as long.
seeds="1 2 3"
[ -z "$sanitizers" ] || seeds=1
for seed in $seeds; do
    rm -f "$recipe"*
    EMULATED_SEED=$seed EMULATED_TIME="noise 0.02; outliers 0.002 8; execute 0; $planted" \
        tune --routines=dsymv,dgemv_none,strmv_none &&
        rule dsymv square 1 | grep -q 'edge 64 .* columns 1 .* team 4 variant both' &&
        grep -A9 'class dsymv square' "$recipe" |
            grep -q '^beyond edge 256 threads [0-9 ]* columns 1 .* team 1 variant last'
    result $? "both optima of dsymv are found, seed $seed"
    rules_lose_less dsymv 5 && rules_lose_less dgemv_none 2 && rules_lose_less strmv_none 2
    result $? "and rules are near the best at held-out sizes"
done
awk '$1 == "class" && $2 == "dgemv_none" { forms++ } END { exit forms != 3 }' "$recipe" &&
    for form in square tall wide; do rule dgemv_none $form 1; done > "$work/rules" &&
    [ "$(grep -c 'edge 128 .* columns 2 .* team 1 variant last' "$work/rules")" = 3 ]
result $? "one optimum for three forms of dgemv is found in each"
grep -q '^# mublas tuning data 1$' "$recipe.csv" &&
    [ "$(grep -c '^dsymv,square,[0-9,]*,sieve,' "$recipe.csv")" -gt 200 ] &&
    grep -q '^strmv_none,square,.*,best,' "$recipe.csv"
result $? "the data lie beside the recipe"
# sieved CLASS: at how many sizes its square form was sieved; the largest must be the finals' largest.
sieved() { awk -F, -v class="$1" '$1 == class && $2 == "square" && $5 == "sieve" { count += !seen[$3]++; if ($3 > most) most = $3 }
    $1 == class && $2 == "square" && $5 == "final" && $3 > last { last = $3 } END { print most == last ? count : 0 }' "$recipe.csv"; }
[ "$(sieved dgemv_none)" = 8 ] && [ "$(sieved dsymv)" = 8 ]
result $? "both are sieved at 8 sizes, up to the finals' largest"
EMULATED_TIME="noise 0.02; execute 0; $planted" tune --evaluate=12 --routines=strmv_none,dgemv_none &&
    grep -q '^2 of 2 classes' "$work/output"
result $? "it is within 2% of the best of all shapes at most held-out sizes"
EMULATED_TIME="noise 0.02; execute 0; $planted" tune --evaluate=2 --routines=strmv_none,dgemv_none &&
    grep -q '^4 sizes judged in' "$work/output" && grep -q '^all  *4 ' "$work/output"
result $? "another run judges fewer"
EMULATED_TIME="noise 0.02; execute 0; $planted" "$build/mublas" tune --evaluate=9999 --routines=strmv_none \
    --memory=64 --output="$recipe" > "$work/output" 2> "$work/errors" &
sleep 2
kill -TERM $! # once: timeout may send it twice
wait $!
[ "$(awk '/judged in/ { print $1 }' "$work/output")" = "$(awk '$1 == "all" { count = $2 } END { print count + 0 }' "$work/output")" ]
result $? "a size that an interruption ended is not counted"
elsewhere="optimum dgemv_none 99999 256 64 2 1 0; optimum strmv_none 99999 128 64 2 1 0"
EMULATED_TIME="noise 0.02; execute 0; $elsewhere" tune --evaluate=6 --routines=strmv_none,dgemv_none
[ $? = 1 ] && grep -q '^1 of 2 classes' "$work/output" &&
    awk '$1 == "dgemv_none" { exit $3 + 0 > 97 }' "$work/output"
result $? "it says so where other shapes are the best"
lost=$(awk '$1 == "dgemv_none" { print $3 + 0 }' "$work/output")
EMULATED_TIME="execute 0; wrong 256 2; $elsewhere" tune --evaluate=2 --routines=dgemv_none
awk -v lost="$lost" '$1 == "dgemv_none" { exit $3 + 0 <= lost }' "$work/output"
result $? "a shape with other bits is nobody's rival, however fast"

# A shape is best for the largest sizes alone, which a glance has to show: a race there would take too long.
rm -f "$recipe"*
EMULATED_TIME="noise 0.02; execute 0; optimum dgemv_none 7000 64 128 1 1 0; optimum dgemv_none 99999 128 64 2 1 0" \
    tune --memory=1024 --routines=dgemv_none &&
    grep -A40 '^class dgemv_none square' "$recipe" | grep -m 1 '^beyond' | grep -q 'edge 128 .* columns 2 ' &&
    grep '^class dgemv_none square' -A1 "$recipe" | grep -q 'edge 64 .* columns 1 '
result $? "an optimum of the largest sizes alone is found"
awk -F, '$1 == "dgemv_none" && $2 == "square" && $5 == "sieve" {
    if ($3 > most) { most = $3; rounds = 0 }
    if ($3 == most && $17 > rounds) rounds = $17 }
    END { exit rounds != 1 }' "$recipe.csv"
result $? "and each shape was timed once there"

if [ -z "$sanitizers" ]; then # as with noise
    # From some launch to 30000 half as fast again, until it is one at which shapes are being timed side by
    # side.
    misled=0
    changes=0
    for launch in 3000 2000 4000 5000 2500 3500 4500; do
        [ $changes = 0 ] || break
        rm -f "$recipe"*
        EMULATED_TIME="noise 0.01; execute 0; throttle $launch 30000 1.5; $planted" tune --routines=dsymv &&
            rules_lose_less dsymv 5 && grep -A9 'class dsymv square' "$recipe" | grep -q '^beyond edge 256'
        misled=$((misled + ($? != 0)))
        changes=$((changes + $(awk '/rounds lost/ { for (i = 1; i <= NF; i++) if ($i == "changes") n = $(i - 1) } END { print n + 0 }' \
            "$work/output")))
    done
    [ $misled = 0 ]
    result $? "throttling does not mislead it"
    [ $changes -gt 0 ]
    result $? "and it says that the device changed its pace"

    # Computed at the smallest size: super-tiles of 128 with runs of one leaf tile are wrong, and fastest.
    rm -f "$recipe"*
    EMULATED_TIME="execute 130; wrong 128 1; optimum dsymv 99999 128 64 1 1 0" tune --routines=dsymv &&
        grep -q 'gives other bits and is left out: edge 128 .* columns 1 ' "$work/errors" &&
        grep -q '^beyond' "$recipe" && ! grep -q '^[bu].* edge 128 .* columns 1 ' "$recipe"
    result $? "shapes with other bits are left out, however fast"
fi

# The memory for results is the second that is pinned: without it there is no tuning, and nothing is written.
rm -f "$recipe"*
EMULATED_FAULTS=cuMemHostAlloc:2:2 tune --routines=dsymv
[ $? = 1 ] && [ "$(wc -l < "$work/errors")" = 1 ] &&
    grep -q '^mublas tune: no memory to tune with' "$work/errors" && [ ! -e "$recipe" ]
result $? "memory for results that cannot be had ends it in one line"

# Other classes stay; an interrupted run leaves all files as they were.
rm -f "$recipe"*
slow_built_in=
for routine in ssymv dsymv wsymv chemv zhemv; do
    slow_built_in="$slow_built_in${slow_built_in:+; }optimum $routine 99999 256 512 2 1 0"
done
export EMULATED_TIME="execute 0; noise 0.01; $slow_built_in"
tune --routines=ssymv && tune --routines=dsymv && grep -q '^class ssymv' "$recipe" &&
    grep -q '^class dsymv' "$recipe"
result $? "tuning one class leaves the others' rules"
cp "$recipe" "$work/before" && cp "$recipe.csv" "$work/before.csv"
"$build/mublas" tune --shapes-only --memory=256 --exhaustive \
    --output="$recipe" > "$work/output" 2> "$work/errors" &
tuning=$!
# From when it catches signals on it times shapes; a second is enough for the first ones.
for try in $(seq 600); do
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$tuning/status" 2> /dev/null)
    [ $((0x${caught:-0} >> 14 & 1)) = 1 ] && break
    sleep 0.05
done
sleep 1
kill -INT $tuning
wait $tuning
[ $? = 130 ] && [ "$(wc -l < "$work/errors")" = 1 ] && [ ! -s "$work/output" ] &&
    grep -q "^mublas tune: interrupted: nothing was learned; $recipe is as before\$" "$work/errors" &&
    cmp -s "$recipe" "$work/before" && cmp -s "$recipe.csv" "$work/before.csv"
result $? "interrupted: it says so in one line, and recipe and data are as before"
[ "$(cd "$work" && echo recipe*)" = "recipe recipe.csv" ]
result $? "and no other file is left"

tune --routines=ssymv

# Command lines that are not understood.
for bad in --quikc --full --time-limit=0 --memory=x --memory=64.5 --routines=dsymv,foo --output= --evaluate=-1 \
    --evaluate=2.5; do
    "$build/mublas" tune $bad > "$work/output" 2> "$work/errors"
    [ $? = 2 ] && [ ! -s "$work/output" ] && [ "$(wc -l < "$work/errors")" = 1 ] &&
        grep -q -e "^mublas tune: $bad: " "$work/errors"
    result $? "$bad is refused by name"
done
"$build/mublas" tune --quick --exhaustive > "$work/output" 2> "$work/errors"
[ $? = 2 ] && [ "$(cat "$work/errors")" = 'mublas tune: --exhaustive: not with --quick' ]
result $? "nor are two amounts of work taken"
"$build/mublas" tune --evaluate --output="$work/none" > "$work/output" 2> "$work/errors"
[ $? = 1 ] && grep -q "^mublas tune: $work/none: No such file" "$work/errors"
result $? "there is no judging a recipe that is not there"
CUDA_VISIBLE_DEVICES= tune --routines=ssymv
[ $? = 3 ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q '^mublas tune: no device to tune' "$work/errors"
result $? "nor tuning without a device"

# Refusals, by whom, and each in one line.
info() { "$build/mublas" info > "$work/output" 2> "$work/errors"; }
state() { MUBLAS_RECIPE=$1 info && grep -q "MUBLAS_RECIPE recipe $1 is $2" "$work/output"; }
state "$recipe" "in force: ....-..-.. by mublas tune --quick"
result $? "mublas info names the recipe in force"
mkdir -p "$HOME/.config/mublas" && cp "$recipe" "$HOME/.config/mublas/recipe" && info &&
    grep -q "the user's recipe $HOME/.config/mublas/recipe is in force" "$work/output"
result $? "the user's is found"
refused()
{
    local what=$1 why=$2
    state "$work/bad" "refused: .*$why" && grep -q "the user's recipe .* is in force" "$work/output"
    result $? "$what: mublas info says why, and the next counts"
}
head -c 1000 "$recipe" > "$work/bad"; refused "a truncated one" "cut short or changed"
sed 's/edge 256/edge 128/' "$recipe" > "$work/bad"; refused "a changed one" "cut short or changed"
sed '1s/2$/1/' "$recipe" > "$work/bad"; refused "an older version" "format 1"
head -c 2000 /dev/urandom > "$work/bad"; refused "a foreign one" "not a recipe"
cp "$recipe" "$work/bad"; chmod o+w "$work/bad"; refused "a world-writable one" "others may write"
chmod 644 "$work/bad"
"$build/tests/unit/sign_recipe" "$recipe" device 'device Tesla C1060' > "$work/bad"
refused "another device's" "made for the device 'Tesla C1060', this is 'Emulated device'"
"$build/tests/unit/sign_recipe" "$recipe" driver 'driver 12080' > "$work/bad"
refused "another driver's" "driver for CUDA 12.8, this is for 13.0"
"$build/tests/unit/sign_recipe" "$recipe" kernels 'kernels 0123456789abcdef' > "$work/bad"
refused "other kernels'" "made for other kernels"

# The program under the shim: one line, and its results.
rm "$HOME/.config/mublas/recipe"
use_reference_libraries
run()
{
    LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_RECIPE=$1 MUBLAS_VERBOSE=${2:-1} EMULATED_TIME= \
        "$build/tests/system/tiny" dsymv 2 > "$work/output" 2> "$work/errors"
}
run "$work/bad" && [ "$(wc -l < "$work/errors")" = 1 ] &&
    grep -q "^mublas: recipe $work/bad is not used: made for other kernels" "$work/errors"
result $? "a program is told once, and runs"
run "$recipe" && [ ! -s "$work/errors" ] && run "$recipe" 2 &&
    grep -q "launch shapes by the recipe $recipe" "$work/errors"
result $? "a good one is used without a word"

# Crossovers of one routine learned anew.
what="what is known of other routines stays, their flags too, and of this one nothing"
if [ -n "$sanitizers" ]; then
    echo "ok $((++number)) - $what # SKIP a sanitized library cannot be loaded by the program that is started anew"
else
    kept="host zgemm_deep 4096 1 100000000 3000
flags zgemm_deep 1 1.1 1.2 0.9 0.8 1 1.4 1.35 0.7
device zgemm_deep 4096 20 100000000 300"
    {
        printf 'host-blas %s\nhost-threads 1\nhost dsymv 4096 1 1000000 3000\n' "$(readlink -f "$host_blas")"
        printf 'device dsymv 4096 20 1000000 300\n%s\n' "$kept"
    } > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$recipe"
    OMP_NUM_THREADS=1 EMULATED_TIME= "$build/mublas" tune --crossovers-only --routines=dsymv --time-limit=8 \
        --output="$recipe" > "$work/output" 2> "$work/errors" &&
        [ "$(grep ' zgemm_deep ' "$recipe")" = "$kept" ] && ! grep -q ' dsymv.* 1000000 300' "$recipe"
    result $? "$what"
fi

echo "1..$number"
