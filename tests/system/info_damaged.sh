#!/bin/bash
# The words of `mublas info -- FILE` on files that it cannot look into; no file makes it crash.
. tests/environment.sh
[ -z "$libelf_missing" ] || { echo "1..0 # SKIP built without libelf: $libelf_missing"; exit 0; }
. "$source_tree/tests/tap.sh"
unset LD_LIBRARY_PATH LD_PRELOAD

# refuses PATTERN FILE: exit status 2, nothing on standard output, one line that names the file and the reason.
refuses()
{
    "$build/mublas" info -- "$2" > "$work/output" 2> "$work/errors"
    [ $? = 2 ] && [ ! -s "$work/output" ] && [ "$(wc -l < "$work/errors")" = 1 ] &&
        grep -qE "^mublas info: .*${2##*/}: .*$1" "$work/errors"
}
"$build/mublas" info -- > "$work/output" 2> "$work/errors"
[ $? = 2 ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "no program" "$work/errors"
result $? "no program at all"
"$build/mublas" info --loudly x > "$work/output" 2> "$work/errors"
[ $? = 2 ] && grep -q -- "--loudly: not an option" "$work/errors"
result $? "an unknown option"
refuses "no such" "$work/absent"
result $? "a file that is not there"
refuses "folder" "$work"
result $? "a folder"
mkfifo "$work/fifo" && refuses "regular" "$work/fifo"
result $? "a named pipe, without waiting for it"
echo "some text" > "$work/text" && refuses "not an ELF" "$work/text"
result $? "a text file"
: > "$work/empty" && refuses "not an ELF" "$work/empty"
result $? "an empty file"
echo "#!/nowhere/interpreter" > "$work/script" && refuses "/nowhere/interpreter, which does not exist" "$work/script"
result $? "a script without its interpreter"
echo 'void dgemm_(void); void use(void); void use(void) { dgemm_(); }' > "$work/use.c"
$compiler -g0 -fPIC -shared -o "$work/library" "$work/use.c" && $compiler -c -o "$work/use.o" "$work/use.c" &&
    ar rc "$work/libuse.a" "$work/use.o" || { echo "Bail out! cannot build"; exit 1; }
refuses "yet to be linked" "$work/use.o"
result $? "an object file"
refuses "archive" "$work/libuse.a"
result $? "an archive"
if [ "$(id -u)" != 0 ]; then
    cp "$work/library" "$work/unreadable" && chmod 0 "$work/unreadable" && refuses "ermission" "$work/unreadable"
    result $? "a file that may not be read"
else
    skip "a file that may not be read" "root may read every file"
fi
if [ -w /dev/full ]; then
    "$build/mublas" info -- "$work/library" > /dev/full 2> "$work/errors"
    [ $? = 1 ] && grep -q "cannot be written" "$work/errors"
    result $? "output that cannot be written"
fi

size=$(stat -c %s "$work/library")
bad=
for length in 4 20 63 64 100 1000 $((size / 2)) $((size - 64)) $((size - 1)); do
    head -c "$length" "$work/library" > "$work/cut"
    refuses "." "$work/cut" || bad="$bad $length"
done
[ -z "$bad" ]
result $? "a library that was cut short${bad:+, at$bad}"

# Random bytes, most of them where headers and tables lie, others every day. Arguments: the seed, how many files.
seed=${1:-$seed} rounds=${2:-100}
RANDOM=$seed
bad=0
for ((round = 0; round < rounds; round++)); do
    cp "$work/library" "$work/changed"
    for ((change = 0; change < 1 + round % 4; change++)); do
        case $((RANDOM % 3)) in
        0) place=$((RANDOM % 1024)) ;;
        1) place=$((size - 1 - RANDOM % 2048)) ;;
        2) place=$((RANDOM % size)) ;;
        esac
        printf '%b' "\\x$(printf %x $((RANDOM % 256)))" | dd of="$work/changed" bs=1 seek=$place conv=notrunc 2> /dev/null
    done
    timeout 120 "$build/mublas" info --verbose -- "$work/changed" > "$work/output" 2> "$work/errors"
    status=$?
    if [ $status != 0 ] && ! { [ $status = 2 ] && [ "$(wc -l < "$work/errors")" = 1 ]; }; then
        bad=$((bad + 1))
        cp "$work/changed" "${TMPDIR:-/tmp}/mublas-damaged-$seed-$round"
        echo "# status $status, file kept as ${TMPDIR:-/tmp}/mublas-damaged-$seed-$round"
        head -n 5 "$work/errors" | sed 's/^/# /'
    fi
done
[ $bad = 0 ]
result $? "$rounds libraries with random bytes changed (seed $seed)"
echo "1..$number"
