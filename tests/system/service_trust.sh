#!/bin/bash
# Whom a service and its clients trust: folders, links and sockets that others may have planted are refused, and so are
# other users; the program runs on the device of its own process.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
export MUBLAS_OFFLOAD=always
other=65534
as_other() { setpriv --reuid=$other --clear-groups -- "$@"; }

run()
{
    LD_PRELOAD=$shim_preload MUBLAS_VERBOSE=2 timeout -k 5 300 tests/system/service_checked 40 1 > "$work/output" 2> "$work/errors" &&
        grep -qx right "$work/output"
}
goes_by_service() { grep -q 'through the service$' "$work/errors"; }
in_process() { run && ! goes_by_service; }

start_service --keep && run && goes_by_service
result $? "a service of the user's own serves"
folder=$XDG_RUNTIME_DIR/mublas-service-$EUID
socket=$(find "$folder" -type s)
[ "$(tests/system/service_probe knock "$socket")" = refused ]
result $? "who has another identity is refused"
if [ $EUID = 0 ] && as_other true 2> "$work/nothing"; then
    cp tests/system/service_probe "$work/probe"
    chmod 711 "$work" "$XDG_RUNTIME_DIR" "$folder" && chmod 666 "$socket" && chmod 755 "$work/probe"
    [ "$(as_other "$work/probe" knock "$socket")" = closed ]
    result $? "another user is not heard, even where the socket lets it in"
    chmod 700 "$folder" "$XDG_RUNTIME_DIR"
fi
chmod 755 "$folder" && in_process && grep -q 'is not a folder of this user alone' "$work/errors"
result $? "a folder that others can read is not trusted"
"$build/mublas" serve --status > "$work/output" 2>&1
[ $? = 1 ] && grep -q 'is not a folder of this user alone' "$work/output"
result $? "nor is it by the command"
chmod 700 "$folder" && stop_service
result $? "the service ends"

{ [ -d "$folder" ] || mkdir -m 700 "$folder"; } && mv "$folder" "$folder.real" && ln -s "$folder.real" "$folder"
in_process && grep -q 'is not a folder of this user alone' "$work/errors"
result $? "a link in the folder's place is not followed"
! start_service && grep -q 'is not a folder of this user alone' "$work/service_errors"
result $? "nor is it by a service"
rm "$folder" && : > "$folder" && in_process
result $? "a file in its place is no folder"
rm "$folder" && mv "$folder.real" "$folder"
: > "$work/elsewhere" && ln -s "$work/elsewhere" "$folder/${socket##*/}.new" && mv "$folder/${socket##*/}.new" "$socket"
in_process
result $? "a link in the socket's place leads nowhere"
rm -f "$socket" "$socket.lock" && ln -s "$work/elsewhere" "$socket.lock" && ! start_service &&
    grep -q 'its lock cannot be opened' "$work/service_errors"
result $? "a link in the lock's place is not followed"
rm -f "$socket.lock"
if [ -x "$work/probe" ]; then
    mkdir -m 777 "$work/planted"
    chmod 711 "$work"
    as_other "$work/probe" listen "$work/planted/socket" > "$work/false" &
    false=$!
    until_true grep -q listening "$work/false"
    ln -s "$work/planted/socket" "$socket"
    in_process && ! grep -q came "$work/false"
    result $? "a service of another user's is not told who the client is"
    kill $false
    rm -f "$socket"
    chown $other "$folder" && in_process && chown 0 "$folder"
    result $? "a folder of another user's is not trusted"
    cp tests/unit/service_fuzz "$work/secure" && chgrp $other "$work/secure" && chmod 2755 "$work/secure" &&
        start_service --keep && tests/unit/service_fuzz 1 1 > "$work/output" && ! "$work/secure" 1 1 > "$work/output" &&
        grep -q 'the service is gone' "$work/output" && "$build/mublas" serve --stop > "$work/stopped"
    result $? "a program with gained rights has no service"
fi

echo "1..$number"
