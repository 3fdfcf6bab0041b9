#!/bin/bash
# Sourced by the check_*.sh here: the testers on the emulated device.
#   check PATTERN                     on the reference BLAS of this build, by preload
#   check_hosts MODE GROUP PATTERN OTHERS
#                                     on every host of GROUP (lp64 ilp64), MODE preload or replacement: PATTERN
#                                     on the reference, OTHERS elsewhere; an empty one leaves the host out
# NETLIB_ONLY narrows the cases further, NETLIB_HOSTS the hosts (names with blanks between);
# NETLIB_FULL=1 adds hosts and sizes, and leaves every setting of mublas as it is.
. tests/environment.sh
. "$source_tree/tests/hosts/hosts.sh"

# One of the four types, or of TYPES: of case N, another one every second day.
type_of_day() # N [TYPES]
{
    local types=${2:-sdcz}
    echo "${types:$((($1 + seed / 2) % ${#types})):1}"
}

check()
{
    local blas=${NETLIB_BLAS:-/usr/lib/$multiarch/blas} lapack=${NETLIB_LAPACK:-/usr/lib/$multiarch/lapack}
    if [ ! -x "$blas/xblat1d" ] || [ ! -x "$lapack/xeigtstd" ]; then
        echo "1..0 # SKIP the Netlib testers are not installed (Debian: libblas-test liblapack-test)"
        exit 0
    fi
    SHIM=$shim SHIM_PRELOAD=$shim_preload DRIVER=$emulated_driver NETLIB_BLAS=$blas NETLIB_LAPACK=$lapack \
        HOST_LIBRARIES=$host_lapack_directory:$host_blas_directory \
        exec bash "$source_tree/tests/netlib/compare.sh" --thin --only "$1" --only "${NETLIB_ONLY:-*}"
}

number=0
skip() # WHAT REASON
{
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# Number compare.sh's lines on, and say which host they are of.
renumber() # TITLE
{
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^(ok|not\ ok)\ [0-9]+\ -\ (.*) ]]; then
            number=$((number + 1))
            echo "${BASH_REMATCH[1]} $number - $1, ${BASH_REMATCH[2]}"
        elif [[ $line != 1..* ]]; then
            echo "$line"
        fi
    done
}

# check_host MODE NAME SUFFIX PATTERN: SUFFIX is what folders of 64-bit testers end in.
check_host()
{
    local mode=$1 name=$2 folder lapack library which=(--thin --only "$4" --only "${NETLIB_ONLY:-*}")
    folder=$hosts/root/usr/lib/$multiarch
    library=$(host_library "$name") || { skip "$name" "it is not here; $how_to_fetch"; return; }
    lapack=$folder/lapack$3
    if [ ! -x "$folder/blas$3/xblat1d" ] || [ ! -x "$lapack/xeigtstd" ]; then
        skip "$name" "Netlib's testers are not here; $how_to_fetch"
        return
    fi
    export NETLIB_BLAS=$folder/blas$3 NETLIB_LAPACK=$lapack DRIVER=$emulated_driver CBLAS_GLOBALS=
    HOST_BLAS=$library HOST_LIBRARIES=$(host_directories "$name"):$lapack
    export HOST_BLAS HOST_LIBRARIES
    nm -D "$library" | grep -q ' [BD] RowMajorStrg$' || CBLAS_GLOBALS=$build/tests/netlib/.libs/cblas_globals.so
    export SHIM=$shim SHIM_PRELOAD=$shim_preload REPLACEMENT=
    if [ "$mode" = replacement ]; then
        SHIM= SHIM_PRELOAD=$sanitizer_preload REPLACEMENT=$build/.libs/libmublas.so
        # `make install-alternatives` registers this.
        [ -n "$3" ] || REPLACEMENT=$build/src/interpose/.libs/libblas.so.3
    fi
    # Sizes are mublas' and the testers' affair: the reference of either width has them all, once (that of
    # 32 bits in check_blas.sh).
    [[ -n $NETLIB_FULL || ($mode:$name = preload:reference64 && -z $sanitizers) ]] || which+=(--few-sizes)
    renumber "$name by $mode" < <(bash "$source_tree/tests/netlib/compare.sh" "${which[@]}" ||
                                  [ $? = 1 ] || echo "not ok 0 - cannot be compared")
}

check_hosts() # MODE GROUP PATTERN OTHERS
{
    local name pattern suffix=
    [ "$2" = lp64 ] || suffix=64
    for name in $(host_names "$2"); do
        [[ $name = reference* ]] && pattern=$3 || pattern=$4
        [[ $name = reference* || -n $NETLIB_HOSTS ]] || on_turn NETLIB_FULL || continue
        [[ " ${NETLIB_HOSTS:-$name} " != *" $name "* || -z $pattern ]] ||
            check_host "$1" "$name" "$suffix" "$pattern"
    done
}
