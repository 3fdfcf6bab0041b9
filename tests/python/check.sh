#!/bin/bash
# Sourced by the check_*.sh here: Python test suites on the emulated device.
#   check_debian MODE HOST SUITE... -- SUITE...
#                                     Debian's NumPy and SciPy on a host of tests/hosts/packages;
#                                     MODE is preload or replacement
#   check_wheel SUITE... -- SUITE...  NumPy's wheel with its own BLAS, by preload
# One test in three, others every day. PYTHON_SUITES narrows them to the suites that match this pattern;
# PYTHON_FULL=1 runs all, adds the suites after "--" and the tests in tests/python/long, and asks for pins.
. tests/environment.sh
. "$source_tree/tests/hosts/hosts.sh"
export PYTHON=${PYTHON:-/usr/bin/python3} DRIVER=$emulated_driver SHIM=$shim SHIM_PRELOAD=$shim_preload
export LEAVE_OUT=$source_tree/tests/python/long
export SAMPLE="1 0"
if [ -n "$PYTHON_FULL" ]; then LEAVE_OUT=; else ask_for_no_pins; SAMPLE="3 $seed"; fi
export REPLACEMENT= HOST_BLAS= HOST_LIBRARIES= SYMBOLS=
modules=$hosts/root/usr/lib/python3/dist-packages

skip_all() # REASON
{
    echo "1..0 # SKIP $1"
    exit 0
}

# Stop here unless Python can import the modules that the suites need.
need() # DESCRIPTION MODULE...
{
    local what=$1 said
    shift
    [ -z "$sanitizers" ] || skip_all "a sanitized library does not suit Python, which is not sanitized"
    [ -x "$PYTHON" ] || skip_all "there is no $PYTHON"
    said=$(LD_LIBRARY_PATH=$HOST_LIBRARIES "$PYTHON" -c "import $(IFS=,; echo "$*")" 2>&1) && return
    skip_all "$what: $(tail -n 1 <<< "$said"); $how_to_fetch"
}

compare() # SUITE...
{
    local suite chosen=()
    for suite in "$@"; do
        if [ "$suite" = -- ]; then
            [ -n "$PYTHON_FULL" ] || break
        elif [[ $suite == ${PYTHON_SUITES:-*} ]]; then
            chosen+=("$suite")
        fi
    done
    [ ${#chosen[@]} -gt 0 ] || skip_all "no suite matches PYTHON_SUITES=$PYTHON_SUITES"
    [ -n "$PYTHON_FULL" ] || sampled PYTHON_FULL=1
    exec bash "$source_tree/tests/python/compare.sh" "${chosen[@]}"
}

check_debian()
{
    local mode=$1 host=$2
    shift 2
    HOST_BLAS=$(host_library "$host") || skip_all "host BLAS $host is not here; $how_to_fetch"
    HOST_LIBRARIES=$(host_directories "$host"):$hosts/root/usr/lib/$multiarch/lapack
    export PYTHONPATH=$modules
    need "Debian's NumPy and SciPy" numpy scipy pytest hypothesis
    [ "$mode" != replacement ] || SHIM= SHIM_PRELOAD= REPLACEMENT=$build/src/interpose/.libs/libblas.so.3
    compare "$@"
}

check_wheel()
{
    # The wheel's NumPy before Debian's; of the latter's folder only pytest and the like are used.
    export PYTHONPATH=$hosts/wheel:$modules
    [ -d "$hosts/wheel/numpy" ] || skip_all "NumPy's wheel is not here; $how_to_fetch"
    need "NumPy's wheel" numpy pytest hypothesis
    SYMBOLS='^scipy_'
    compare "$@"
}
