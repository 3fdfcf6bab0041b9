#!/bin/bash
# Routes whose eigensolver takes two stages, by a library that does from the first order on: all, some and no
# vectors are right, failures between the stages end in the host's result, and where there is too little memory
# for two stages there is one.
MUBLAS_TEST_SHIM=$top_builddir/tests/system/routes/early/.libs/libmublas.so.0
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }
if [[ $sanitizers == *thread* ]]; then
    echo "1..0 # SKIP the own eigensolver takes too long under ThreadSanitizer"
    exit 0
fi

# launched KERNEL: how often, cooperatively
launched() { grep -c "^mublas: launching $1 cooperatively" "$work/errors"; }
says() { grep -q "^mublas: .*$1" "$work/errors"; }
went() { [ "$(ran dsyevd 3)" = "$1" ] && [ "$(ran dsyevd 4)" = "$2" ]; } # DEVICE HOST

passes_with() # VARIABLE=VALUE PROGRAM [ARGUMENT...]
{
    local request=$1
    shift
    ( export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3 MUBLAS_VERBOSE=3 "${request?}"
      passes_through_shim "$@" )
}

# In two stages, by so many panels at least.
passes_in_stages() # TYPE PANELS PROGRAM [ARGUMENT...]
{
    local type=$1 panels=$2
    shift 2
    passes_with MUBLAS_VERBOSE=3 "$@" && [ "$(launched "${type}syband_panel")" -ge "$panels" ] &&
        [ "$(launched "${type}band_chase")" -ge "$panels" ]
}

# One stage of order 256 on 16 multiprocessors takes 2.1 MB, two take more than is there.
passes_in_one_stage()
{
    MUBLAS_DEVICE_MEMORY=2300K passes_with EMULATED_MULTIPROCESSORS=16 refused order 256 1 && went 1 0 &&
        [ "$(launched dsyband_panel)" = 0 ] && [ "$(launched "dsytrd_.*")" = 1 ]
}

# The way back needs 80 KB of shared memory, and has 144 with two steps' operands; panels need 73.
passes_without_room()
{
    passes_with EMULATED_SHARED=76K eigen --types d --routines syevd --only s 66 &&
        [ "$(launched "dsytrd_.*")" -ge 1 ] && [ "$(launched dsyband_panel)" -ge 1 ]
}

# Neither launch that fails makes cuSOLVER's way or the host's wrong.
late() { passes_with "$@" && says "no end after 10 s" && [ "$(launched dband_chase)" = 1 ]; }
absent() { late EMULATED_ABSENT=2 failing dsyevd && went 1 1; }
generalised() { late EMULATED_ABSENT=2 failing dsygvd && [ "$(ran dsygvd 4)" = 1 ]; }
stuck() { passes_with EMULATED_STUCK=2 failing dsyevd && says "left alone" && went 0 2; }
refused() # LAUNCH
{
    passes_with "EMULATED_FAULTS=cuLaunchCooperativeKernel:$1:720" failing dsyevd && went 1 1
}
lost() # LAUNCH
{
    passes_with "EMULATED_FAULTS=cuLaunchCooperativeKernel:$1:719:sticky" failing dsyevd && went 0 2
}

orders="0 1 2 3 33 65 66 131" words=syevd,sygvd
asides="absent generalised stuck"
[ -z "$sanitizers" ] || asides=absent
for name in $asides; do
    aside $name $name
done
if [ -n "$sanitizers" ]; then
    skip "results" "under sanitizers the kernels take their time; test_two_stage_own has some"
else
    passes_in_stages d 2 eigen --types d --routines $words --only s $orders
    result $? "dsyevd and dsygvd, with and without vectors"
    passes_in_stages d 10 eigen --types d --routines syevx --only s 66
    result $? "dsyevx, some of the vectors"
    passes_in_stages s 10 eigen --types s --routines syevd,syevr --only s 3 66
    result $? "ssyevd and ssyevr"
    EMULATED_SHARED=100K passes_in_stages d 2 eigen --types d --routines syevd --only s 66 131
    result $? "shared memory for one step of the way back at a time"
    passes_without_room
    result $? "and for none: values alone in two stages, vectors in one"
    passes_in_one_stage
    result $? "too little memory for two stages: one"
fi
for launch in 1 2; do
    refused $launch
    result $? "the driver refuses launch $launch: the host's result, and cuSOLVER's the next time"
    lost $launch
    result $? "the device is lost in launch $launch: the host's results"
done
result_of absent "a block of the chase never comes: the host's result, and the next dsyevd by cuSOLVER"
if [ -z "$sanitizers" ]; then
    result_of generalised "the same of a generalised problem: A and B are as they were"
    result_of stuck "the chase does not end at all: the device is left alone, and the program ends"
fi
echo "1..$number"
