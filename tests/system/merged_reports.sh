#!/bin/bash
# One report of all processes of a run, whoever started and ended them; `mublas report FILE...` makes one by hand.
# While it waits for the program, `mublas run` is as if it were the program.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_REPORT_PARTS MUBLAS_UNREACHABLE
export MUBLAS_OFFLOAD=never XDG_RUNTIME_DIR=$work/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
use_emulated_system
counted=$build/tests/system/counted
report=$work/report.txt
bare() { LD_PRELOAD=$shim_preload "$@" > "$work/output" 2> "$work/errors"; }
merge() { "$build/mublas" report "$@" > "$work/merged" 2> "$work/errors"; }
count() { grep -cE "$1" "$2"; }
# The calls of a routine in the first table of a file, which has the sums.
calls_of() { awk -v name="$1" '$1 == name { print $2; exit }' "$2"; }
is_good() { ! python3 -c 'import html.parser' 2> /dev/null || python3 "$source_tree/tests/system/check_page.py" "$1"; }
leaves_nothing() { [ -z "$(ls "$XDG_RUNTIME_DIR")" ]; }

# Merged by hand.
MUBLAS_REPORT=$work/one.txt bare "$counted" && MUBLAS_REPORT=$work/two.html bare "$counted" complex
merge "$work/one.txt" "$work/two.html" && grep -q '^mublas report of 2 processes' "$work/merged" &&
    [ "$(calls_of total "$work/merged")" = 47 ] && [ "$(calls_of dzasum "$work/merged")" = 2 ] &&
    [ "$(count '^mublas report of process' "$work/merged")" = 2 ]
result $? "mublas report: a text and a page in one, sums first"
merge --output="$work/both.html" "$work/one.txt" "$work/two.html" && is_good "$work/both.html" && [ ! -s "$work/merged" ]
result $? "as a page"
merge "$work/both.html" "$work/one.txt" && [ "$(calls_of total "$work/merged")" = 68 ]
result $? "a merged report is merged again"
merge "$work/one.txt" && [ "$(head -1 "$work/merged")" = "$(head -1 "$work/one.txt")" ] && ! grep -q '^#' "$work/merged"
result $? "one alone is shown as it is"
sed 's/^# routine dgemv_ .*/# routine dgemv_ x/' "$work/one.txt" > "$work/damaged"
sed 's/^# mublas-counters .*/# mublas-counters 0.0.1/' "$work/one.txt" > "$work/older"
sed '/^# end/d' "$work/one.txt" > "$work/cut"
faulty() { ! merge "$work/$1" && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^mublas report: $work/$1: $2" "$work/errors"; }
faulty damaged "its counters are damaged at '# routine dgemv_ x'" && faulty older "it is of mublas 0.0.1, this is " &&
    faulty cut "its counters are damaged at ''" && faulty nowhere "No such file" && faulty errors "it has no counters"
result $? "what is no whole report is named, with the reason"
printf '# mublas-counters %s\n# end\n' "$(sed -n 's/^# mublas-counters //p' "$work/one.txt")" > "$work/nameless"
faulty nameless "it is damaged: no line of it names the program"
result $? "counters of no program"
ln -s one.txt "$work/again" && merge "$work/one.txt" "$work/again" "$work/two.html" && [ "$(calls_of total "$work/merged")" = 47 ] &&
    [ "$(cat "$work/errors")" = "mublas report: $work/again is the same file as $work/one.txt: it counts once" ]
result $? "a file that comes twice counts once, and a line says so"
sed 's/$/\r/' "$work/one.txt" > "$work/carriage" && merge "$work/carriage" && [ "$(calls_of total "$work/merged")" = 21 ]
result $? "lines may end in a carriage return, too"
merge --output="$work/texts.html" "$work/one.txt" "$work/two.html" && is_good "$work/texts.html" &&
    merge --output="$work/text.html" "$work/one.txt" && is_good "$work/text.html" && ! grep -q 'class="rest"' "$work/text.html"
result $? "a page of a text, which does not know when calls were, has no bar of the run"
! merge --output="$work/nowhere/there" "$work/one.txt" && [ ! -s "$work/merged" ] && grep -q "^mublas report: --output='$work/nowhere/there' cannot be written there" "$work/errors"
result $? "a file that cannot be written is named, and nothing else is"

# Nothing is opened before the end without the command, not even by a process that calls.
( cd "$work" && mkdir empty && cd empty && MUBLAS_REPORT=r.txt bare bash -c '"$0" > /dev/null; ls > ../seen' "$counted" )
[ "$(cat "$work/seen")" = r.txt ] && leaves_nothing
result $? "the bare preload writes the report, and nothing else"

if [ -z "$sanitizers" ]; then
    run() { "$build/mublas" run "$@" > "$work/output" 2> "$work/errors"; }
    run --report="$report" -- bash -c '"$0"; "$0" complex; "$0" fork; exit 3' "$counted"
    [ $? = 3 ] && [ ! -s "$work/errors" ] && [ "$(ls "$work"/report*)" = "$report" ] && leaves_nothing &&
        [ "$(calls_of total "$report")" = 70 ] && [ "$(count '^mublas report of process' "$report")" = 4 ] &&
        [ "$(count '^# mublas-counters' "$report")" = 4 ] && grep -q 'in sections of this report' "$report"
    result $? "programs that run one after the other, and a fork's child: one report, of all calls"
    run --report="$work/report.html" -- bash -c 'MUBLAS_OFFLOAD=always "$0" long; "$0"' "$counted" &&
        is_good "$work/report.html" && grep -q '<h1>bash</h1>' "$work/report.html" &&
        [ "$(count '<details class="process"><summary>process [0-9]*: ' "$work/report.html")" = 2 ]
    result $? "a page with a section for each"
    run --report -- bash -c '"$0"; "$0"' "$counted" && [ "$(count '^mublas report of' "$work/errors")" = 3 ] &&
        [ "$(calls_of total "$work/errors")" = 42 ] && ! grep -q '^#' "$work/errors"
    result $? "to standard error, at the end"
    for stream in stdout stderr; do
        run --report=/dev/$stream -- bash -c '"$0"; "$0"; echo ended' "$counted" && cat "$work/output" "$work/errors" > "$work/both"
        [ "$(count '^mublas report of' "$work/both")" = 3 ] && [ "$(calls_of total "$work/both")" = 42 ] && ! grep -q '^#' "$work/both" &&
            { [ $stream = stderr ] || [ ! -s "$work/errors" ]; } && leaves_nothing
        result $? "to /dev/$stream"
    done
    MUBLAS_REPORT=/dev/stdout bare "$counted" && [ "$(count '^mublas report of' "$work/output")" = 1 ] && [ ! -s "$work/errors" ]
    result $? "also by the bare preload"
    run --report="$work/apart-%p" -- bash -c '"$0"; "$0"' "$counted" && [ "$(ls "$work"/apart-* | wc -l)" = 2 ]
    result $? "%p keeps processes apart"
    run --report="$report" -- "$build/mublas" run -- bash -c '"$0"; "$0"' "$counted" && [ "$(calls_of total "$report")" = 42 ]
    result $? "a run in a run leaves its parts to that one"
    rm -f "$report"
    run --report="$report" -- bash -c '"$0"; "$0" killed; exit 0' "$counted" && [ "$(calls_of total "$report")" = 21 ] &&
        grep -qE '^  missing +Process [0-9]+ \(.*/counted\) made calls and left no report: a signal, exec or _exit ended it\.$' "$report"
    result $? "a process that was killed is named beside the report of the others"
    rm -f "$report"
    run --report="$report" -- "$counted" killed
    [ $? = 137 ] && [ ! -e "$report" ] && leaves_nothing && [ "$(wc -l < "$work/errors")" = 1 ] && grep -qE \
        '^mublas run: there is no report: Process [0-9]+ \(.*\) made calls and left no report: signal 9 \(Killed\) ended it\.$' "$work/errors"
    result $? "the program itself: a line says so, and the status is the program's"

    # The parts find no room: in XDG_RUNTIME_DIR, in /tmp as well, or later.
    cat > "$work/full.sh" <<'END'
        mublas=$1 counted=$2 work=$3 case=$4 size=64k inodes=100
        case $case in inodes) inodes=1 ;; later) size=1m ;; esac
        mkdir -p "$work/full" && mount -t tmpfs -o size=$size,nr_inodes=$inodes,mode=700 full "$work/full" || exit 77
        if [ $case = neither ]; then
            mount --rbind "$work" /mnt && mount -t tmpfs -o size=64k full /tmp && [ -x "$counted" ] && work=/mnt || exit 77
        fi
        export XDG_RUNTIME_DIR=$work/full
        "$mublas" run --report="$work/full.txt" -- bash -c '"$0"
            [ "$1" != later ] || head -c 2000000 /dev/zero > "$XDG_RUNTIME_DIR/filler" 2> /dev/null; "$0"; exit 3' "$counted" $case
END
    full() # CASE
    {
        rm -f "$work"/full.txt*
        unshare -rm bash "$work/full.sh" "$build/mublas" "$counted" "$work" "$1" > "$work/output" 2> "$work/errors"
        status=$?
    }
    full inodes
    if [ $status = 77 ]; then
        skip "parts that find no room" "nothing can be mounted here"
    else
        [ $status = 3 ] && [ ! -s "$work/errors" ] && [ "$(calls_of total "$work/full.txt")" = 42 ] &&
            full second && [ $status = 3 ] && [ ! -s "$work/errors" ] && [ "$(calls_of total "$work/full.txt")" = 42 ]
        result $? "parts that find no room in XDG_RUNTIME_DIR go to /tmp"
        full neither
        [ $status = 77 ] || { [ $status = 3 ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q \
            'each process writes a report of its own, .*: /mnt/full: No space left on device; /tmp: No space left on device$' "$work/errors" &&
            [ "$(cat "$work"/full.txt.* | grep -c '^mublas report of process')" = 2 ]; }
        result $? "without room there, too, each process keeps its own report, and a line says why"
        full later
        [ $status = 3 ] && [ "$(calls_of total "$work/full.txt")" = 42 ] && [ "$(wc -l < "$work/errors")" = 1 ] &&
            grep -q '^mublas: MUBLAS_REPORT_PARTS: cannot write in .*/full/mublas-report-[^ ]*: No space left on device' "$work/errors"
        result $? "the report of a process whose part found none is merged as well"
    fi
    # As if it were the program.
    begin() # [COMMAND]: $run is mublas run, $program its program, which waits for a signal
    {
        rm -f "$work/pid" "$report"
        "$build/mublas" run --report="$report" -- bash -c "${1-:}
            echo \$\$ > $work/pid.new; mv $work/pid.new $work/pid; while :; do sleep 0.05; done" "$counted" \
            > "$work/output" 2> "$work/errors" &
        run=$!
        until_true test -s "$work/pid" && program=$(cat "$work/pid")
    }
    until_true() { for ((i = 0; i < 500; i++)); do "$@" && return 0; sleep 0.02; done; return 1; }
    state_is() { [ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2> /dev/null)" = "$2" ]; }
    begin "trap '\"\$0\"; exit 5' USR1" && kill -USR1 $run
    wait $run
    [ $? = 5 ] && [ "$(calls_of total "$report")" = 21 ]
    result $? "a signal that is sent to it is the program's"
    begin && kill -TERM $run
    wait $run
    [ $? = 143 ] && ! kill -0 "$program" 2> /dev/null
    result $? "one that ends the program ends it alike"
    begin && kill -KILL $run
    wait $run 2> /dev/null
    until_true eval '! kill -0 "$program" 2> /dev/null'
    result $? "where it is killed the program goes with it"
    begin && kill -STOP "$program" && until_true state_is "$program" T && kill -CONT "$program" && kill -TERM $run
    wait $run
    [ $? = 143 ]
    result $? "who stops the program alone lets that alone go on"
    set -m # a group of its own, as a shell's job
    begin "trap 'echo >> $work/signals' USR1" && kill -TSTP -$run && until_true state_is $run T &&
        kill -CONT -$run && until_true state_is $run S && ! state_is "$program" T
    good=$?
    result $good "it stops with the program as a job, and both go on"
    kill -USR1 -$run && until_true test -s "$work/signals" && sleep 0.2 && [ "$(wc -l < "$work/signals")" = 1 ]
    result $? "a signal to the group comes to the program once"
    kill -TERM -$run
    wait $run
    set +m
    mkdir "$work/50%q"
    run --report="$work/50%q/r.txt" -- bash -c '"$0"; "$0"' "$counted" && [ "$(calls_of total "$work/50%q/r.txt")" = 42 ]
    result $? "a name with % that stands for no process is merged"
    "$build/mublas" run --report="$report" -- bash -c 'sleep 5 > /dev/null 2>&1 & echo $! > "$1"; exec "$0"' "$counted" "$work/pid" &&
        kill "$(cat "$work/pid")" && [ "$(calls_of total "$report")" = 21 ]
    result $? "it does not wait for what the program has left behind"
    # Its folder is swept by the next run, since it was killed above.
    run --report="$report" -- "$counted" && leaves_nothing
    result $? "parts of a run that was killed are removed by the next"
    head -c 1000 /dev/zero | "$build/mublas" run --report="$report" -- bash -c 'exec < /dev/null; exec > /dev/null; sleep 0.1; "$0"' "$counted" |
        cat > "$work/output" && [ -s "$report" ]
    result $? "pipes are the program's alone"
fi
echo "1..$number"
