#!/bin/bash
# A user who may not open the device's file is not served: the program goes on without, and says why. A file in the
# device's place, in a /dev that is this test's alone.
. tests/environment.sh
# The user who started the service, without the right to open all files.
restricted() { setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all -- env "$@"; }
if [ "$1" != inside ]; then
    { [ $EUID = 0 ] && unshare -m true && restricted true; } 2> /dev/null ||
        { echo "1..0 # SKIP this user cannot have a /dev of its own"; exit 0; }
    exec unshare -m bash "$0" inside
fi
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
export MUBLAS_OFFLOAD=always
node=/dev/nvidiactl

mkdir "$work/dev" && mount -t tmpfs none "$work/dev" && mkdir "$work/dev/shm" && ln -s /proc/self/fd "$work/dev/fd" || exit 1
for name in null zero random urandom; do
    : > "$work/dev/$name" && mount --bind "/dev/$name" "$work/dev/$name" || exit 1
done
mount --move "$work/dev" /dev && : > $node || exit 1

run() # COMMAND...
{
    rm -f "$work/report"
    "$@" LD_PRELOAD="$shim_preload" MUBLAS_VERBOSE=2 MUBLAS_REPORT="$work/report" timeout -k 5 300 \
        tests/system/service_checked 40 1 > "$work/output" 2> "$work/errors" && grep -qx right "$work/output"
}
goes_by_service() { grep -q 'through the service$' "$work/errors"; }

chmod 666 $node
start_service --keep
result $? "a service starts"
run restricted && goes_by_service
result $? "who may open the device's file goes by it"
chown 65534 $node && chmod 600 $node
run env && goes_by_service
result $? "and so does who may open all files"
run restricted && ! goes_by_service &&
    grep -q "not through the service: this user may not open $node$" "$work/errors" && all_on_device "$work/report" 3
result $? "who may not has the device in its own process, as far as that goes"
grep -q "^  service     not used: this user may not open $node$" "$work/report"
result $? "and its report says why"
restricted "$build/mublas" doctor > "$work/output" 2> "$work/errors"
grep -qE "^ok +service .*programs do not go by it: this user may not open $node$" "$work/output"
result $? "so does mublas doctor"
stop_service
result $? "the service ends"

echo "1..$number"
