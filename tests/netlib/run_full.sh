#!/bin/bash
# The full set of the Netlib BLAS and LAPACK testers, host BLAS alone against the
# shim in `always` mode, on whatever device there is: over ten million calls on it.
#
#   run_full.sh SHIM [--host-blas PATH] [--thin | --parts] [--only PATTERN] [--keep DIR]
#
# --host-blas PATH  BLAS that both runs use (default: the loader's libblas.so.3)
# The testers are taken from NETLIB_BLAS and NETLIB_LAPACK (default: where Debian's
# libblas-test and liblapack-test put them), shared libraries that they need from
# NETLIB_LIBRARIES (directories with colons between), the CUDA driver from DRIVER (a
# directory; default: the system's). Needs bash and awk; see compare.sh.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
usage="usage: run_full.sh SHIM [--host-blas PATH] [--thin | --parts] [--only PATTERN] [--keep DIR]"
[ $# -ge 1 ] || { echo "$usage" >&2; exit 2; }
export SHIM=$1
shift
[ -f "$SHIM" ] || { echo "run_full.sh: there is no library '$SHIM'; $usage" >&2; exit 2; }

libraries=/usr/lib/$(uname -m)-linux-gnu
export NETLIB_BLAS=${NETLIB_BLAS:-$libraries/blas} NETLIB_LAPACK=${NETLIB_LAPACK:-$libraries/lapack}
export HOST_LIBRARIES=$NETLIB_LIBRARIES DRIVER=$DRIVER
# Processes that share a GPU take turns of milliseconds: one after another is fastest, but where they are clients of a
# service (`mublas serve --keep`).
export NETLIB_JOBS=${NETLIB_JOBS:-1}
arguments=() host=
while [ $# -gt 0 ]; do
    case $1 in
    --host-blas)
        host=$(readlink -f "$2")
        [ -f "$host" ] || { echo "run_full.sh: --host-blas: there is no library '$2'" >&2; exit 2; }
        shift ;;
    *) arguments+=("$1") ;;
    esac
    shift
done
if [ -n "$host" ]; then
    alias=$(mktemp -d "${TMPDIR:-/tmp}/mublas-host.XXXXXX") || exit 2
    trap 'rm -rf "$alias"' EXIT
    ln -s "$host" "$alias/libblas.so.3"
    HOST_LIBRARIES=$alias${HOST_LIBRARIES:+:$HOST_LIBRARIES}
fi
bash "$here/compare.sh" "${arguments[@]}"
