#!/bin/bash
# Programs with a malloc of their own that is not ready before main: GCL, and Maxima, which is made with it.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
use_emulated_system
export hosts gcl maxima MAXIMA_PREFIX=$hosts/root/usr HOME=$work

gcl=$(echo "$hosts"/root/usr/lib/gcl-[0-9.]*/unixport/saved_gcl)
maxima=$(echo "$hosts"/root/usr/lib/maxima/*/binary-gcl/maxima)
lisp() { echo '(princ (* 6 7)) (bye)' | "$gcl"; }
algebra()
{
    "$maxima" -eval '(cl-user::run)' -f -- --very-quiet \
        --batch-string='display2d:false$ integrate(x^2,x); 2^100;'
}

# under PRELOAD WHAT: in a shell of its own, into which nothing is preloaded.
under() { ( export LD_PRELOAD=$1; timeout 120 bash -c "$(declare -f "$2"); $2" ) > "$work/output" 2> "$work/errors"; }

# program WHAT NAME RIGHT FILE
program()
{
    local mode
    if ! compgen -G "$hosts/root/usr/lib/$4" > /dev/null || ! under "" "$1"; then
        skip "$2" "not there, or does not run without mublas: $(head -n 1 "$work/errors" 2> /dev/null); $how_to_fetch"
        return
    fi
    cp "$work/output" "$work/bare"
    for mode in never auto always; do
        MUBLAS_OFFLOAD=$mode under "$shim" "$1" && grep -q "$3" "$work/output" && cmp -s "$work/output" "$work/bare"
        result $? "$2 does with the shim what it does without: $mode"
    done
    MUBLAS_REPORT=$work/report under "$shim:$host_blas" "$1" && cmp -s "$work/output" "$work/bare"
    result $? "$2, a host BLAS bound at load as well"
}

[ -z "$sanitizers" ] || { echo "1..0 # SKIP $sanitizers: malloc is not the program's"; exit 0; }
program lisp GCL 42 'gcl-[0-9.]*/unixport/saved_gcl'
program algebra Maxima 1267650600228229401496703205376 'maxima/*/binary-gcl/maxima'
echo "1..$number"
