#!/bin/bash
# `mublas tune` and `report` with files: nothing that is no recipe is overwritten, what was learned of other classes
# stays, an interrupted run leaves nothing behind. On the emulated device, like tune.sh.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_REPORT MUBLAS_OFFLOAD MUBLAS_RECIPE MUBLAS_VERBOSE LD_PRELOAD
use_emulated_driver
export EMULATED_POISON=0 HOME=$work/home XDG_CONFIG_HOME=
# These two have other best shapes.
export EMULATED_TIME="execute 0; noise 0.01; optimum ssymv 99999 256 512 2 1 0; optimum dsymv 99999 256 512 2 1 0"
recipe=$work/recipe
mublas() { timeout 100 "$build/mublas" "$@" > "$work/output" 2> "$work/errors"; }
tune() { mublas tune --shapes-only --memory=64 "$@"; }
# says PATTERN: one line of complaint, which has it.
says() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "$1" "$work/errors"; }
rows() { grep -c "^$1," "$recipe.csv"; }

mkdir "$work/home"
tune --routines=ssymv && [ -s "$HOME/.config/mublas/recipe" ] && [ -s "$HOME/.config/mublas/recipe.csv" ]
result $? "an account without .config gets its recipe"

# refused WHAT PATTERN: before anything is timed; what is there stays.
refused()
{
    tune --routines=ssymv --output="$recipe"
    [ $? = 1 ] && says "^mublas tune: ${recipe}[.a-z]*: $2" && [ ! -s "$work/output" ]
    result $? "$1: $2"
}
mkfifo "$recipe"; refused "a fifo" "not a regular file"
[ -p "$recipe" ] && rm "$recipe" && mkdir "$recipe"; refused "a folder" "Is a directory"
rmdir "$recipe" && echo "my thesis" > "$work/thesis" && ln -s thesis "$recipe"; refused "a symbolic link" "a symbolic link: name the file"
rm "$recipe" && cp "$work/thesis" "$recipe"; refused "another file" "not a recipe, and not overwritten"
cmp -s "$recipe" "$work/thesis" && rm "$recipe" && echo "my, data" > "$recipe.csv"
refused "another file in the place of the data" "not tuning data, and not overwritten"
rm "$recipe.csv"
before=$(ls -A "$work")
tune --routines=ssymv --output="$work/"
[ $? = 1 ] && says "$work/: not the name of a file" && [ "$(ls -A "$work")" = "$before" ]
result $? "a path that ends in a slash: $(cat "$work/errors")"

tune --routines=ssymv --output="$recipe" && [ "$(rows ssymv)" -gt 100 ] &&
    grep -q '^ssymv,square,.*,chosen,' "$recipe.csv"
result $? "the data say what was timed, and what was chosen"
tune --routines=dsymv --output="$recipe" && [ "$(rows ssymv)" = 0 ] && [ "$(rows dsymv)" -gt 100 ] &&
    grep -q '^class ssymv' "$recipe"
result $? "another run leaves its rules, and has data of its own"
mublas report --tuning "$recipe" && grep -q "^times of launch shapes are in $recipe.csv$" "$work/output" &&
    grep -q '^no table: this recipe has times of no class of calls' "$work/output" && [ ! -e "$recipe-report" ]
result $? "without crossovers a report says that, and where the times are"

"$build/tests/unit/sign_recipe" "$recipe" driver 'driver 12080' > "$work/other" && cp "$work/other" "$recipe"
tune --routines=dsymv --output="$recipe" && says "driver for CUDA 12.8, .*; it will be replaced$" &&
    ! grep -q '^class ssymv' "$recipe" && ! grep -q '^ssymv' "$recipe.csv" && grep -q '^class dsymv' "$recipe"
result $? "a recipe of another driver, and its data, are replaced"
chmod o+w "$recipe"
tune --routines=ssymv --output="$recipe" && says "others may write it .*; it will be replaced$" &&
    ! grep -q '^class dsymv' "$recipe" && grep -q '^class ssymv' "$recipe"
result $? "one that others may write, too"
rm "$recipe"
tune --routines=ssymv --output="$recipe" && [ ! -s "$work/errors" ] && [ "$(rows ssymv)" -gt 100 ]
result $? "and data without a recipe"

"$build/tests/unit/sign_recipe" "$recipe" driver 'driver 12080' > "$work/other" && cp "$work/other" "$recipe"
EMULATED_TIME="execute 99999" tune --exhaustive --routines=strmv --memory=1 --time-limit=1 --output="$recipe" &&
    grep -q "nothing was learned; it is as before" "$work/errors" && cmp -s "$recipe" "$work/other" &&
    grep -q '^nothing learned in ' "$work/output"
result $? "a run without time leaves a recipe of another driver where it is"
if [ -z "$sanitizers" ]; then # under which the kernels take ten seconds
    rm -f "$recipe"* && tune --routines=ssymv --output="$recipe" && cp "$recipe" "$work/before" &&
        EMULATED_TIME="execute 99999" tune --exhaustive --routines=strmv --memory=1 --time-limit=1 --output="$recipe" &&
        says "nothing was learned; it is as before" && cmp -s "$recipe" "$work/before" && grep -q '^nothing learned in ' "$work/output"
    result $? "and one of this"
fi

# Reading what is no file, and writing to what takes nothing.
mkfifo "$work/fifo"
mublas report --tuning "$work/fifo"
[ $? = 1 ] && says "fifo: not a regular file"
result $? "report does not wait for a fifo"
mublas report --tuning "$recipe" --output ""
[ $? = 1 ] && says "output: an empty name"
result $? "nor take an empty name"
if [ -c /dev/full ]; then
    for command in "tune --help" "verify --routines=daxpy --size=8" "report --tuning $recipe --output $work/plots" "--version" \
        "tune --shapes-only --memory=64 --routines=ssymv --output=$recipe"; do
        [ -z "$sanitizers" ] || [ "${command%% *}" != verify ] || continue # which loads the shim
        "$build/mublas" $command > /dev/full 2> "$work/errors"
        [ $? != 0 ] && grep -q "^mublas: standard output cannot be written: No space left" "$work/errors"
        result $? "${command%% *}: it is said that nothing could be printed"
    done
fi
for wrong in "--routines=" "--shapes-only --routines=dgemm" "--shapes-only --routines=daxpy" "--evaluate --routines=dgemm"; do
    "$build/mublas" tune $wrong > "$work/output" 2> "$work/errors"
    [ $? = 2 ] && says "^mublas tune: --r"
    result $? "tune ${wrong% *}: $(cat "$work/errors")"
done
long=/$(printf '%0600d' 0)
MUBLAS_RECIPE=$long mublas info && grep -q 'refused: a path of more than 511 characters' "$work/output"
result $? "a path that is too long is said to be"
deep=$work
while [ ${#deep} -lt 476 ]; do deep=$deep/0123456789; done
mkdir -p "$deep/.config/mublas"
HOME=$deep tune --routines=ssymv && [ "$(cd "$deep/.config/mublas" && echo *)" = "recipe recipe.csv" ]
result $? "nor is one cut that the home directory makes as long as may be"

# A second is over amid races: what there was time for counts, and nobody is to blame. A busy machine has time for nothing.
EMULATED_TIME="execute 180; noise 0.01" tune --routines=gemv --time-limit=1 --output="$work/short" &&
    ! grep -qv ': nothing was learned; it is as before$' "$work/errors" && grep -q 'stay as they were' "$work/output"
result $? "a race that the time limit ends is no fault"

# A round of all shapes would take many times the limit, and cannot be called back: it is not begun.
EMULATED_TIME= mublas tune --shapes-only --exhaustive --routines=zhemv --memory=128 --time-limit=1 --output="$work/slow" &&
    grep -q ' timings in [01] rounds' "$work/output" && grep -q '^nothing learned' "$work/output"
result $? "a round that would outlast the time limit is not begun"

what="crossovers for which there is no time stay"
if [ -n "$sanitizers" ]; then
    echo "ok $((++number)) - $what # SKIP a sanitized library cannot be loaded by the program that is started anew"
else
    use_reference_libraries
    {
        printf 'host-blas %s\nhost-threads 1\n' "$(readlink -f "$host_blas")"
        for class in zgemm_deep strsm_left_deep dsyr2k_panel; do
            printf 'host %s 4096 1 100000000 3000\ndevice %s 4096 20 100000000 300\n' $class $class
        done
    } > "$work/lines"
    rm -f "$recipe"* && tests/system/make_recipe "$work/lines" > "$recipe"
    OMP_NUM_THREADS=1 EMULATED_TIME= mublas tune --crossovers-only --time-limit=2 --output="$recipe" &&
        [ "$(grep -c '^device \(zgemm_deep\|strsm_left_deep\|dsyr2k_panel\) ' "$recipe")" = 3 ] &&
        grep -qE '^crossovers (of [0-9]* classes of calls|stay as they were)' "$work/output"
    result $? "$what"

    # The processes that time calls would outlast what is left.
    OMP_NUM_THREADS=1 EMULATED_TIME= mublas tune --crossovers-only --time-limit=1 --output="$work/none" &&
        says "nothing was learned" && grep -q '^crossovers stay as they were: there was no time' "$work/output" && [ ! -e "$work/none" ]
    result $? "none are timed where the time limit leaves nothing for them, and that is said"
    printf 'host-blas %s\nhost-threads 1\n' "$(readlink -f "$host_blas")" > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$work/empty" && mublas report --tuning "$work/empty" &&
        grep -q '^no table: this recipe has times of no class of calls, for there was no time' "$work/output" &&
        ! grep -q csv "$work/output"
    result $? "a report of a recipe without times says why it has no table, and names no file that is not there"

    # wait_for_calls: until a process of the tuner makes calls, child. Not the one before it, which is asked for
    # 0 bytes and only shows that such a process can be started.
    wait_for_calls()
    {
        for try in $(seq 600); do
            for child in $(grep -ls "^PPid:[[:space:]]*$tuning\$" /proc/[0-9]*/status); do
                child=${child%/status}
                tr '\0' ' ' < "$child/cmdline" 2> /dev/null | grep -q '^mublas timed-calls [1-9]' && return
            done
            sleep 0.05
        done
        return 1
    }
    tune_calls()
    {
        rm -f "$recipe"*
        OMP_NUM_THREADS=1 "$build/mublas" tune --memory=64 --routines=ssymv --time-limit=40 \
            --output="$recipe" > "$work/output" 2> "$work/errors" &
        tuning=$!
    }
    tune_calls && wait_for_calls
    kill -TERM $tuning
    wait $tuning
    [ $? = 130 ] && says "^mublas tune: interrupted: nothing was learned; $recipe is as before$" &&
        [ -z "$(ls "$recipe"* 2> /dev/null)" ]
    result $? "interrupted amid calls it leaves no file"
    tune_calls && wait_for_calls
    kill -KILL "${child#/proc/}"
    wait $tuning
    [ $? = 1 ] && grep -q 'the process that made calls ended early\|no call ran on the device' "$work/errors" &&
        grep -q '^class ssymv' "$recipe" && ! grep -q '^host ssymv' "$recipe" &&
        [ "$(cd "$work" && echo recipe*)" = "recipe recipe.csv" ]
    result $? "where a process of calls fails, the shapes are not lost"
fi

echo "1..$number"
