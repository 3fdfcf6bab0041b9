#!/bin/bash
# Plug-ins with a BLAS of their own in the place of others that had another one.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
modules=$build/tests/system/.libs
cp "$modules/numbered_caller1.so" "$work/bystander.so"

# run NAME=VALUE... PROGRAM ARGUMENT...
run()
{
    env LD_LIBRARY_PATH="$modules:$LD_LIBRARY_PATH" LD_PRELOAD="$shim_preload" "$@" > "$work/output" 2> "$work/errors"
}
quiet() { [ ! -s "$work/errors" ]; }
reloaded() # NAME=VALUE... BYSTANDER: all is right, and mublas has nothing to say
{
    run "${@:1:$# - 1}" tests/system/reloaded "${@: -1}" "$modules/numbered_caller1.so" \
        "$modules/numbered_caller2.so" && quiet
}
for mode in never auto; do
    reloaded MUBLAS_OFFLOAD=$mode ""
    result $? "mode $mode: each gets its own ($(tail -n 1 "$work/output"))"
    reloaded MUBLAS_OFFLOAD=$mode "$work/bystander.so"
    result $? "mode $mode: also where another was the first to call ($(tail -n 1 "$work/output"))"
done
reloaded MUBLAS_OFFLOAD=never MUBLAS_REPORT="$work/report" "" &&
    awk '$1 == "ddot" && $2 == 72 { found = 1 } END { exit !found }' "$work/report"
result $? "all calls are counted, also those made while unloading"
for mode in never auto; do
    run MUBLAS_OFFLOAD=$mode tests/system/two_languages "$modules/two_languages_caller1.so" \
        "$modules/two_languages_caller2.so" && quiet
    result $? "mode $mode: Fortran and C names from different libraries"
done
for scope in local global; do
    for mode in never auto; do
        run MUBLAS_OFFLOAD=$mode tests/system/first_at_end $scope "$modules/numbered_caller1.so" \
            "$modules/numbered_caller2.so" "$modules/numbered_orphan.so" && quiet
        result $? "mode $mode: first calls from destructors of plug-ins that are loaded with $scope scope"
    done
done
# No start files: nothing runs when such a plug-in goes. A list's head looks like a __dso_handle.
cat > "$work/bare.c" <<'END'
double ddot_(const int *, const double *, const int *, const double *, const int *);
int *numbered_wrong;
struct list { struct list *next; } head = {&head};
int numbered_call(int calls)
{
    static const int one = 1;
    static const double number = 1;
    int found = 0;
    for (int i = 0; i < calls; i++)
        found = (int)ddot_(&one, &number, &one, &number, &one);
    return found;
}
END
for which in 1 2; do
    $compiler -shared -fPIC -nostartfiles -o "$work/bare$which.so" "$work/bare.c" -Wl,--no-as-needed \
        "$modules/numbered$which.so" || echo "Bail out! $compiler makes no plug-in"
done
run MUBLAS_OFFLOAD=never tests/system/reloaded "" "$work/bare1.so" "$work/bare2.so" && quiet
result $? "plug-ins that run nothing while they are unloaded ($(tail -n 1 "$work/output"))"
crowd=() # side by side in memory: sixteen places further on low bits are the same, whatever their size
for number_of_blas in 1 2; do
    for ((i = 0; i < 40; i++)); do
        cp "$modules/numbered_caller$number_of_blas.so" "$work/plug_in$i-$number_of_blas.so"
        crowd+=("$work/plug_in$i-$number_of_blas.so")
    done
done
for try in 1 2 3 4 5; do # once in a while no two of them come to lie alike
    run MUBLAS_OFFLOAD=never tests/system/crowded "${crowd[@]}" && quiet
    status=$?
    grep -q ' 0 pairs alike' "$work/output" || break
done
result $status "many at once ($(tail -n 1 "$work/output"))"
what="children forked while other plug-ins are loaded call as before"
if [ -n "$sanitizers" ]; then
    skip "$what" "sanitizers have locks of their own"
else
    for plug_in in 1 2; do
        cp "$modules/numbered_caller$plug_in.so" "$work/other$plug_in.so"
        cp "$modules/numbered_caller$plug_in.so" "$work/more$plug_in.so"
    done
    run MUBLAS_OFFLOAD=never tests/system/fork_loading "$work/bystander.so" "$modules/numbered_caller2.so" 2 \
        "$work"/other?.so "$work"/more?.so
    result $? "$what"
fi
echo "1..$number"
