#!/bin/bash
# A program that probes matrices by attempts that fail: INFO and all operands are the host's to the last bit,
# and by itself mublas makes two attempts on the device, no more.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }
rounds=6

# probes ROUTINE ROUNDS: as on the host alone. The recipe lets a dsyevd before pay for the device, and cuSOLVER.
probes()
{
    passes_on_reference indefinite "$1" "$2" && cp "$work/output" "$work/expected" &&
        passes_by_recipe "route host real vectors 16" "route host real level3 16" "wake 4000" -- indefinite "$1" "$2" &&
        cmp "$work/expected" "$work/output" && [ "$(ran dsyevd 3)" = 1 ]
}
attempts() { called cusolverDnXpotrf; }

probes dpotrf 0
tried=$(attempts) # by mublas, before it uses the library
probes dpotrf $rounds && [ $(($(attempts) - tried)) = 2 ] && [ "$(ran dpotrf 4)" = $rounds ]
result $? "dpotrf finds $rounds matrices indefinite as on the host, by $(($(attempts) - tried)) attempts on the device"
probes dsygvd 2 && [ "$(called cusolverDnDsygvd)" = 2 ] && [ "$(attempts)" = "$tried" ]
result $? "dsygvd with such a B: the host says so, without another attempt by the dpotrf in it"
probes dsygvd $rounds && [ "$(called cusolverDnDsygvd)" = 2 ] && [ $(($(attempts) - tried)) -le 2 ] &&
    [ "$(ran dsygvd 4)" = $rounds ]
result $? "and $rounds times, by $(called cusolverDnDsygvd) attempts"
( export MUBLAS_OFFLOAD=always
  probes dpotrf $rounds
  [ $(($(attempts) - tried)) = $rounds ] )
result $? "where everything is to be offloaded, each is an attempt"
echo "1..$number"
