#!/bin/bash
# What `mublas tune` and `report` do with files: nothing that is no recipe is overwritten, nothing that was
# learned is lost, an interrupted run goes on with what fits. On the emulated device, like tune.sh.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_REPORT MUBLAS_OFFLOAD MUBLAS_RECIPE MUBLAS_VERBOSE LD_PRELOAD
use_emulated_driver
export EMULATED_POISON=0 HOME=$work/home XDG_CONFIG_HOME=
# All of axpy's built-in shapes but these two are as good as any.
export EMULATED_TIME="execute 0; noise 0.01; optimum saxpy 99999 0 64 0 0 0; optimum daxpy 99999 0 64 0 0 0"
recipe=$work/recipe
mublas() { timeout 100 "$build/mublas" "$@" > "$work/output" 2> "$work/errors"; }
tune() { mublas tune --shapes-only --memory=64 "$@"; }
# says PATTERN: one line of complaint, which has it.
says() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "$1" "$work/errors"; }
rows() { grep -c "^$1," "$recipe.csv"; }

mkdir "$work/home"
tune --routines=saxpy && [ -s "$HOME/.config/mublas/recipe" ] && [ -s "$HOME/.config/mublas/recipe.csv" ]
result $? "an account without .config gets its recipe"

# refused WHAT PATTERN: before anything is timed; what is there stays.
refused()
{
    tune --routines=saxpy --output="$recipe"
    [ $? = 1 ] && says "^mublas tune: $recipe[.a-z]*: $2" && [ ! -s "$work/output" ]
    result $? "$1: $2"
}
mkfifo "$recipe"; refused "a fifo" "not a regular file"
[ -p "$recipe" ] && rm "$recipe" && mkdir "$recipe"; refused "a folder" "Is a directory"
rmdir "$recipe" && echo "my thesis" > "$work/thesis" && ln -s thesis "$recipe"; refused "a symbolic link" "a symbolic link: name the file"
rm "$recipe" && cp "$work/thesis" "$recipe"; refused "another file" "not a recipe, and not overwritten"
cmp -s "$recipe" "$work/thesis" && rm "$recipe" && echo "my, data" > "$recipe.csv"
refused "another file in the place of the data" "not tuning data, and not overwritten"
rm "$recipe.csv" && mkfifo "$recipe.partial.csv"; refused "a fifo in the place of what is left of a run" "not a regular file"
rm "$recipe.partial.csv"
tune --routines=saxpy --output="$work/"
[ $? = 1 ] && says "$work/: not the name of a file" && [ -z "$(ls -A "$work" | grep partial)" ]
result $? "a path that ends in a slash: $(cat "$work/errors")"

tune --routines=saxpy --output="$recipe" && tune --routines=daxpy --output="$recipe" &&
    [ "$(rows saxpy)" -gt 100 ] && [ "$(rows daxpy)" -gt 100 ] && grep -q '^class saxpy' "$recipe"
result $? "another class leaves the data of the first, too"
saxpy=$(rows saxpy)
tune --routines=daxpy --output="$recipe" && [ "$(rows saxpy)" = "$saxpy" ] && mublas report --tuning "$recipe" --output "$work/plots" &&
    [ -s "$work/plots/saxpy.svg" ] && [ -s "$work/plots/daxpy.svg" ]
result $? "once more, and both are plotted"

cp "$recipe.csv" "$work/data.csv"
"$build/tests/unit/sign_recipe" "$recipe" driver 'driver 12080' > "$work/other" && cp "$work/other" "$recipe"
tune --routines=daxpy --output="$recipe" && says "driver for CUDA 12.8, .*; it will be kept with the ending .old" &&
    cmp -s "$recipe.old" "$work/other" && cmp -s "$recipe.old.csv" "$work/data.csv" && ! grep -q '^class saxpy' "$recipe" &&
    ! grep -q '^saxpy' "$recipe.csv" && grep -q '^class daxpy' "$recipe"
result $? "a recipe of another driver, and its data, are kept aside"
chmod o+w "$recipe"
tune --routines=saxpy --output="$recipe" && says "others may write it .*; it will be kept with the ending .old.2$" &&
    grep -q '^class daxpy' "$recipe.old.2" && cmp -s "$recipe.old" "$work/other" && cmp -s "$recipe.old.csv" "$work/data.csv"
result $? "one that others may write, too"
sed -i 's/Emulated device/Tesla C1060/' "$recipe.csv"
tune --routines=daxpy --output="$recipe" && says "recipe.csv: of another device; it will be kept with the ending .old.3.csv" && grep -q '^class saxpy' "$recipe" &&
    grep -q 'Tesla C1060' "$recipe.old.3.csv" && [ "$(rows saxpy)" = 0 ]
result $? "and data of another device"

echo "my thesis" > "$recipe.evaluation.csv"
mublas tune --memory=64 --evaluate=2 --routines=saxpy --output="$recipe"
[ $? = 1 ] && says "not an evaluation, and not overwritten" && [ "$(cat "$recipe.evaluation.csv")" = "my thesis" ]
result $? "another file in the place of an evaluation stays"
"$build/tests/unit/sign_recipe" "$recipe" driver 'driver 12080' > "$work/other" && cp "$work/other" "$recipe"
EMULATED_TIME="execute 99999" tune --exhaustive --routines=zhemv --memory=512 --time-limit=1 --output="$recipe" &&
    grep -q "nothing was learned; it is as before" "$work/errors" && cmp -s "$recipe" "$work/other" &&
    grep -q '^nothing learned in ' "$work/output"
result $? "a run without time leaves a recipe of another driver where it is"
if [ -z "$sanitizers" ]; then # under which the kernels take ten seconds
    rm -f "$recipe"* && tune --routines=saxpy --output="$recipe" && cp "$recipe" "$work/before" &&
        EMULATED_TIME="execute 99999" tune --exhaustive --routines=zhemv --memory=512 --time-limit=1 --output="$recipe" &&
        says "nothing was learned; it is as before" && cmp -s "$recipe" "$work/before" && grep -q '^nothing learned in ' "$work/output"
    result $? "and one of this"
fi

# Interrupted once a class is done, of which the built-in shapes are as good as any.
rm -f "$recipe"*
interrupt()
{
    "$build/mublas" tune --shapes-only --full --output="$recipe" "$@" > "$work/output" 2> "$work/errors" &
    local tuning=$!
    for try in $(seq 600); do
        grep -qs "^class $class " "$recipe.partial" && break
        sleep 0.05
    done
    kill -TERM $tuning
    wait $tuning
    [ $? = 130 ] && grep -q "^class $class " "$recipe.partial" && [ ! -e "$recipe" ]
}
class=strmv_none
interrupt --memory=64 --routines=strmv && grep -A1 "^class $class" "$recipe.partial" | grep -q '^beyond built-in'
result $? "a class whose built-in shapes stay is kept as done"
cp "$recipe.partial" "$work/partial" && cp "$recipe.partial.csv" "$work/partial.csv"
left() { rm -f "$recipe"* && cp "$work/partial" "$recipe.partial" && cp "$work/partial.csv" "$recipe.partial.csv"; }
forms=$(grep -c '^class' "$recipe.partial")
tune --full --routines=$class --output="$recipe" && says "going on with $recipe.partial, which has $forms classes" &&
    grep -q '^0 timings' "$work/output" && ! grep -q "^class $class" "$recipe" &&
    [ "$(rows $class)" = "$(grep -c "^$class," "$work/partial.csv")" ] && [ ! -e "$recipe.partial" ]
result $? "and not tuned again"
left
mublas tune --shapes-only --memory=65 --full --routines=$class --output="$recipe" && says "recipe.partial: of another command; begun anew, and it is kept with the ending .old$" &&
    ! grep -q '^0 timings' "$work/output" && [ ! -e "$recipe.partial" ] && [ ! -e "$recipe.partial.csv" ] &&
    cmp -s "$recipe.partial.old" "$work/partial" && cmp -s "$recipe.partial.old.csv" "$work/partial.csv"
result $? "another --memory does not go on with it, and keeps it"
rm -f "$recipe" "$recipe.csv" && mv "$recipe.partial.old" "$recipe.partial" && mv "$recipe.partial.old.csv" "$recipe.partial.csv" &&
    tune --full --routines=$class --output="$recipe" && says "going on with $recipe.partial, which has $forms classes"
result $? "nothing of which is lost"
left && sed -i '9s/,.*//' "$recipe.partial.csv"
tune --full --routines=$class --output="$recipe" && says "recipe.partial: .*line 9: not 17 columns; begun anew" && ! grep -q '^0 timings' "$work/output"
result $? "nor does one whose data are damaged"
left && rm "$recipe.partial.csv"
tune --full --routines=$class --output="$recipe" && says "recipe.partial: its data are missing; begun anew" && ! grep -q '^0 timings' "$work/output"
result $? "nor one whose data are missing"
left && rm "$recipe.partial"
tune --full --routines=$class --output="$recipe" && says "recipe.partial: only its data are there; begun anew, and it is kept with the ending .old$" &&
    cmp -s "$recipe.partial.old.csv" "$work/partial.csv"
result $? "nor is it lost where only they are there"
left && OMP_NUM_THREADS=1 mublas tune --full --crossovers-only --memory=65 --routines=dsymv --time-limit=1 --output="$recipe"
cmp -s "$recipe.partial" "$work/partial" && cmp -s "$recipe.partial.csv" "$work/partial.csv"
result $? "a run that does not go on with it leaves it"
left && truncate -s -30 "$recipe.partial"
tune --full --routines=$class --output="$recipe" && says "cut short or changed.*; begun anew" && ! grep -q '^0 timings' "$work/output"
result $? "nor one whose rules are"

# Rules made again take a recipe's place, no other file's, and what was there stays aside.
tune --routines=saxpy --output="$work/once" && tune --routines=daxpy --output="$work/twice" && cp "$work/twice" "$work/before" &&
    mublas tune --refit="$work/once" --output="$work/twice" && cmp -s "$work/twice.old" "$work/before" &&
    grep -q 'refitted$' "$work/twice" && mublas tune --refit="$work/once" --output="$work/once" && [ ! -e "$work/once.old" ]
result $? "what refitted rules take the place of is kept aside"
mublas tune --refit="$work/once" --output="$work/thesis"
[ $? = 1 ] && says "thesis: not a recipe, and not overwritten" && [ "$(cat "$work/thesis")" = "my thesis" ]
result $? "and another file is not overwritten"

# Reading what is no file, and writing to what takes nothing.
mkfifo "$work/fifo.csv"
mublas report --tuning "$work/fifo.csv"
[ $? = 1 ] && says "fifo.csv: not a regular file"
result $? "report does not wait for a fifo"
mublas report --tuning "$recipe" --output ""
[ $? = 1 ] && says "output: an empty name"
result $? "nor take an empty name"
if [ -c /dev/full ]; then
    for command in "tune --help" "verify --routines=daxpy --size=8" "report --tuning $recipe --output $work/plots" "--version" \
        "tune --shapes-only --memory=64 --routines=saxpy --output=$recipe"; do
        [ -z "$sanitizers" ] || [ "${command%% *}" != verify ] || continue # which loads the shim
        "$build/mublas" $command > /dev/full 2> "$work/errors"
        [ $? != 0 ] && grep -q "^mublas: standard output cannot be written: No space left" "$work/errors"
        result $? "${command%% *}: it is said that nothing could be printed"
    done
fi
for wrong in "--routines=" "--shapes-only --routines=dgemm" "--evaluate --routines=dgemm" "--refit=$recipe --routines=saxpy"; do
    "$build/mublas" tune $wrong > "$work/output" 2> "$work/errors"
    [ $? = 2 ] && says "^mublas tune: --r"
    result $? "tune ${wrong% *}: $(cat "$work/errors")"
done
long=/$(printf '%0600d' 0)
MUBLAS_RECIPE=$long mublas info && grep -q 'refused: a path of more than 511 characters' "$work/output"
result $? "a path that is too long is said to be"
deep=$work
while [ ${#deep} -lt 476 ]; do deep=$deep/0123456789; done
cp "$work/partial" "$work/deep" && echo >> "$work/deep"
mkdir -p "$deep/.config/mublas" && cp "$work/deep" "$deep/.config/mublas/recipe.partial"
HOME=$deep tune --routines=saxpy && grep -q 'begun anew, and it is kept with the ending .old$' "$work/errors" &&
    [ "$(cd "$deep/.config/mublas" && echo *)" = "recipe recipe.csv recipe.partial.old" ]
result $? "nor is one cut that the home directory makes as long as may be"

# A second is over amid races: what there was time for counts, and nobody is to blame.
tune --routines=gemv --time-limit=1 --output="$work/short" && [ ! -s "$work/errors" ] && grep -q 'stay as they were' "$work/output"
result $? "a race that the time limit ends is no fault"

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
        grep -q '^crossovers of [0-9]* classes of calls' "$work/output"
    result $? "$what"

    # Interrupted amid calls, once there are some.
    calls() { OMP_NUM_THREADS=1 EMULATED_TIME= mublas tune --crossovers-only --memory=64 --routines=dsymv,dgemm --output="$recipe" "$@"; }
    rm -f "$recipe"*
    for attempt in "10 3" "10 6" "40 16"; do
        read -r limit delay <<< "$attempt"
        OMP_NUM_THREADS=1 EMULATED_TIME= "$build/mublas" tune --crossovers-only --memory=64 --routines=dsymv,dgemm --time-limit=$limit \
            --output="$recipe" > "$work/output" 2> "$work/errors" &
        tuning=$!
        sleep $delay
        kill -TERM $tuning
        wait $tuning
        status=$?
        [ ! -e "$recipe.partial.calls" ] || break
    done
    [ $status = 130 ] && [ ! -e "$recipe" ] && says "interrupted; $recipe is as before; the same command goes on where it was" &&
        grep -q '^sample device dsymv ' "$recipe.partial.calls"
    result $? "times of calls are kept by an interruption"
    cp "$recipe.partial.calls" "$work/calls"
    times=$(grep -c '^[0-9]' "$work/calls")
    calls --time-limit=2 && says "going on with $recipe.partial.calls, which has $times times of calls" &&
        grep -q '^device dsymv ' "$recipe" && grep -q '^host dsymv ' "$recipe" && [ ! -e "$recipe.partial.calls" ]
    result $? "and the same command goes on with them"
    rm -f "$recipe" && cp "$work/calls" "$recipe.partial.calls"
    OMP_NUM_THREADS=1 "$build/mublas" tune --memory=64 --routines=saxpy --time-limit=40 \
        --output="$recipe" > "$work/output" 2> "$work/errors" &
    tuning=$!
    # Not the one before it, which is asked for 0 bytes and only shows that such a process can be started.
    for try in $(seq 600); do
        for child in $(grep -ls "^PPid:[[:space:]]*$tuning\$" /proc/[0-9]*/status); do
            child=${child%/status}
            tr '\0' ' ' < "$child/cmdline" 2> /dev/null | grep -q '^mublas timed-calls [1-9]' && break 2
        done
        sleep 0.05
    done
    sleep 1
    kill -KILL "${child#/proc/}"
    wait $tuning
    [ $? = 1 ] && grep -q 'a process that made calls ended early\|no call ran on the device' "$work/errors" &&
        cmp -s "$recipe.partial.calls" "$work/calls" && grep -q '^class saxpy' "$recipe" && ! grep -q '^host saxpy' "$recipe"
    result $? "nor are they lost where a process of it fails, nor the shapes"
    cp "$work/calls" "$recipe.partial.calls"
    calls --time-limit=2 --memory=65 && says "partial.calls: of another command; begun anew, and it is kept with the ending .old$" &&
        cmp -s "$recipe.partial.calls.old" "$work/calls"
    result $? "another one does not, and keeps them"
    head -c -30 "$work/calls" > "$recipe.partial.calls"
    calls --time-limit=2 && says "partial.calls: line 1: cut short or changed.*; begun anew"
    result $? "nor is half a file of use"
    cp "$work/calls" "$recipe.partial.calls"
    OMP_NUM_THREADS=2 EMULATED_TIME= mublas tune --crossovers-only --memory=64 --routines=dsymv,dgemm --output="$recipe" --time-limit=2 &&
        says "another host BLAS or number of threads; begun anew"
    result $? "nor times with other threads"
fi

echo "1..$number"
