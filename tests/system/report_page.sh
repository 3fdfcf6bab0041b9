#!/bin/bash
# The report as a page: well-formed and closed in itself, with the figures and the advice of the text.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
python3 -c 'import html.parser' 2> /dev/null || { echo "1..0 # SKIP no python3 to read pages"; exit 0; }
use_emulated_system
counted=$build/tests/system/counted
page=$work/report.html

under_shim() { LD_PRELOAD=$shim_preload MUBLAS_REPORT=$page "$@" > "$work/output" 2> "$work/errors"; }
is_good() { python3 -I -S "$source_tree/tests/system/check_page.py" "${1:-$page}"; }
# A sentence of the advice that begins with, and one that has.
advises() { grep -qE "^<li>$1" "$page"; }

for mode in always auto never; do
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=$mode under_shim "$counted" long && [ ! -s "$work/errors" ] && is_good
    result $? "mode $mode: the page is well-formed, and its figures and advice are the text's"
done
grep -q '<b>0.000 s</b><span>on the GPU</span><small>no call</small>' "$page" &&
    ! grep -q '<i class="device">' "$page"
result $? "the GPU is not shown where no call was there"
advises 'Calls on the host, because MUBLAS_OFFLOAD=never says so \(not timed\): daxpy \(8\), dgemv \(4\), dsymv \(4\)\.'
result $? "what the setting keeps on the host is told"
[ "$(stat -c %a "$page")" = 600 ]
result $? "the file is the user's alone"
MUBLAS_OFFLOAD=always under_shim "$counted" long &&
    grep -Eq '<th scope="row">daxpy</th><td>0</td><td>1000000</td><td>0</td><td>[0-9.]+</td><td class="text">device' "$page"
result $? "the longest calls have their sizes"
grep -q '<p class="banner">Emulated device: ' "$page" && ! grep -Eq 'against the host|>factor<' "$page"
result $? "an emulated device is named, and saves no seconds"
for pattern in '<dt>device</dt><dd>Emulated device' '<dt>processor</dt><dd>.+; [0-9]+ of [0-9]+ for this process' \
    "<dt>threads</dt><dd>[0-9]+ for the host&#39;s BLAS; 1 of the program was in calls"; do
    grep -Eq "$pattern" "$page"
    result $? "at the top: $pattern"
done
grep -Eq '<title>[0-9.]+ to [0-9.]+ s, daxpy: .*GPU, computing [0-9.]+ s' "$page" && grep -q '<p class="lane">thread 1</p><svg' "$page"
result $? "a step of the time line names its routine"
sed -n 's/.*<div class="axis">\(.*\)<\/div>.*/\1/p' "$page" | grep -oE '>[0-9.]+' | tr -d '>' |
    awk '{ at[NR] = $1 } END { step = at[2]; while (step < 0.999) step *= 10; while (step > 9.99) step /= 10
        for (i = 2; i < NR; i++) if ((at[i + 1] - at[i]) / at[2] > 1.001 || (at[i + 1] - at[i]) / at[2] < 0.999) exit 1
        exit !(NR >= 4 && ((step - 1) ^ 2 < 1e-6 || (step - 2) ^ 2 < 1e-6 || (step - 5) ^ 2 < 1e-6)) }'
result $? "its ticks are round and even"
grep -Eq '<th scope="col">device GFLOP/s</th>' "$page" && ! grep -q '>host s<' "$page"
result $? "GFLOP/s are there, and no column of dashes"
grep -q '<span class="name">524288 to 1048575</span>.*, 1 call</span>' "$page" && grep -q '<span class="name">64 to 127</span>' "$page"
result $? "the histogram has the sizes of the calls"
grep -Eq '<i class="r0"></i>[a-z ]+ <b>5 calls</b> \([0-9]+%\)' "$page"
result $? "and a bar the reasons of the host's calls"
EMULATED_NAMES="Some GPU" MUBLAS_OFFLOAD=always under_shim "$counted" long && is_good && ! grep -q 'class="banner"' "$page" &&
    grep -Eq '<div class="figure"><b>[0-9.]+ s</b><span>(saved|lost) against the host, as predicted</span><small>not measured: ' "$page" &&
    grep -q '<th scope="col">factor</th>' "$page"
result $? "of another device what is predicted says so, in sum and by routine"
# Each part's seconds of the run, and of the calls, in the order of the page.
parts() { sed -n '/<h2>Where the time went/,/<\/section>/p' "$page" | sed -n "/<p>The $1,/,/<p class=\"legend\">/p"; }
whole() { parts "$1" | sed -nE 's/^<p>The [a-z]*, ([0-9.]+) s.*/\1/p'; }
# Their sum, and their shares', is the whole's.
add_up()
{
    parts "$1" | grep -oE '<b>[0-9.]+ s</b> \([0-9]+%\)' | tr -d '<b>/()%' |
        awk -v whole="$(whole "$1")" '{ sum += $1; shares += $3 }
            END { exit !(NR && sum > whole - 0.003 && sum < whole + 0.003 && shares >= 97 && shares <= 103) }'
}
legends() { grep -A 1 -E "<h2>$1</h2>" "$page" | grep -o '<i class="[a-z]*">' | tr -d '\n'; }
[ "$(legends 'Time line')" = '<i class="device"><i class="link"><i class="other">' ] &&
    [ "$(legends Routines)" = "$(legends 'Time line')" ]
result $? "a legend has the colours that its chart shows"
add_up run && add_up calls
result $? "the parts of the run make the whole of it, and those of the calls"
MUBLAS_OFFLOAD=always under_shim "$counted" threads && is_good && add_up run && add_up calls &&
    rest=$(parts run | sed -nE 's/.*<i class="rest"><\/i>[^<]*<b>([0-9.]+) s.*/\1/p') &&
    sed -nE 's/.*<p class="note">[0-9]+ steps of ([0-9.]+) s.*/\1/p' "$page" |
        awk -v rest="$rest" '{ exit !(rest > 0.4 - 2 * $1) }'
result $? "with several threads, too: what no thread called in, 0.4 s at least, is no time of calls"

rm -f "$work"/report*
LD_PRELOAD=$shim_preload MUBLAS_REPORT=$page MUBLAS_OFFLOAD=never \
    bash -c 'exec -a "$1" "$2"' - $'<script>alert("1")</script>&\'\x1b[31m\xff' "$counted" 2> "$work/errors" && is_good &&
    grep -q '<h1>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;&#xFFFD;\[31m&#xFFFD;</h1>' "$page"
result $? "a hostile program's name is text"
rm -f "$work"/report*
MUBLAS_OFFLOAD=never under_shim "$counted" $'a <b>\n' "it's" && is_good &&
    grep -qF "<p><code>$counted &#39;a &lt;b&gt; &#39; &#39;it&#39;\\&#39;&#39;s&#39;</code></p>" "$page" &&
    grep -qF "<title>mublas: $counted &#39;a &lt;b&gt;" "$page" &&
    grep -qE "<p class=\"note\">mublas report of process [0-9]+ on $(uname -n), until 20[0-9-]+ [0-9:]+ UTC</p>" "$page"
result $? "the page tells one run from another: command line, process, machine and time"
long=$(printf '%0400d' 0)
MUBLAS_OFFLOAD=never under_shim "$counted" "$long" && is_good && grep -qE '<p><code>.{200,251}0 \.\.\.</code>' "$page"
result $? "a long command line is cut"
rm -f "$work"/report*
MUBLAS_HOST_BLAS='/x/<b onload=1>"' MUBLAS_OFFLOAD=never under_shim "$counted" && is_good &&
    grep -q 'MUBLAS_HOST_BLAS=/x/&lt;b onload=1&gt;&quot;' "$page"
result $? "a setting's value is text"

rm -f "$work"/report*
page=$work/nowhere/report.html under_shim "$counted" && [ "$(grep -c '^mublas: ' "$work/errors")" = 1 ] &&
    grep -q "^mublas: MUBLAS_REPORT: cannot write $work/nowhere/report.html: No such file" "$work/errors" &&
    grep -q '^  total  *21 ' "$work/errors" && ! grep -q '<' "$work/errors"
result $? "a file that cannot be opened: one line, and the report as text"
echo precious > "$work/target"
ln -s "$work/target" "$work/link.html"
page=$work/link.html under_shim "$counted" && [ "$(cat "$work/target")" = precious ]
result $? "a symbolic link is not followed"
under_shim "$counted" fork && read -r parent child < "$work/output" && is_good && is_good "$work/report.$child.html" &&
    grep -q "process $child" "$work/report.$child.html" && [ "$(ls "$work"/report*.html | wc -l)" = 2 ]
result $? "a fork's child has a page of its own, of its own calls"
rm -f "$work"/report*
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=3 OMPI_COMM_WORLD_LOCAL_SIZE=8 \
    MUBLAS_OFFLOAD=never under_shim "$counted" && is_good "$work/report.3.html" && grep -q 'rank 3 of 8' "$work/report.3.html"
result $? "a rank has a page of its own"
for end in HTML htm; do
    page=$work/report.$end
    MUBLAS_OFFLOAD=never under_shim "$counted" && is_good
    result $? "a name that ends in .$end asks for a page"
done
page=$work/report.html
rm -f "$work"/report*
under_shim "$counted" busy && [ -e "$page" ] && python3 -c 'import sys; open(sys.argv[1]).read()' "$page"
result $? "exit while a thread goes on calling"
rm -f "$work"/report*
LD_PRELOAD=$shim_preload "$counted" 2> "$work/errors" && under_shim /bin/true && [ ! -s "$work/errors" ] && [ ! -e "$page" ]
result $? "no page unless asked for, and none of a process without BLAS calls"

# One reason each.
held_back=$build/tests/system/held_back
held() { rm -f "$work"/report*; under_shim "$held_back" "$@" && is_good; }
held rewritten 12 && advises 'dgemv: [0-9.]+ s on the host in 11 calls, because the matrix is rewritten between calls'
result $? "a matrix that is rewritten before each call"
held order 12 && order=$(sed -nE 's/^<li>dpotrf: [0-9.]* s on the host in 12 calls( \([0-9.]* s of that [a-z ]*\))?; the largest, of order 100, is below the order that pays here: ([0-9]*)\..*/\2/p' "$page") &&
    [ "$order" -gt 100 ] && [ "$order" -lt 300 ]
result $? "an order below the one that pays, which is told: ${order:-none}"
held small 1000 && order=$(sed -nE 's/^<li>dpotrf: 0\.[0-9]* s on the host in 1000 calls( \([^)]*\))?; the largest, of order 50, is below the order that pays here: ([0-9]*)\..*/\2/p' "$page") &&
    [ "$order" -ge 96 ] && [ "$order" -lt 300 ] &&
    grep -q '<th scope="row">dpotrf</th><td>50</td><td>50</td>' "$page"
result $? "calls of LAPACK too small for its gate are timed, and told in the same way: ${order:-none}"
MUBLAS_OFFLOAD=never held small 1000 &&
    advises '0\.[0-9]+ s of calls on the host, because MUBLAS_OFFLOAD=never says so: dpotrf 0\.[0-9]+ s \(1000\)'
result $? "by MUBLAS_OFFLOAD=never, too"
held variant 12 && advises "dgeev: 0\.[0-9]+ s on the host in 12 calls( \([^)]*\))?, because of JOBVL=&#39;V&#39;, which its routine"
result $? "an argument that no route has is named"
held query 2
good=$? missing=
for name in dsyevd dsytrd dgeqrf dgesdd dgeev; do
    grep -Eq "^<p>Workspace queries, which compute nothing and count nowhere else: .*$name [0-9]+" "$page" || missing+=" $name"
done
[ $good = 0 ] && [ -z "$missing" ] && ! advises '.*of their arguments' && ! grep -q 'a workspace query' "$page" &&
    advises 'Nothing: the program only asked for the sizes of workspaces\.'
result $? "workspace queries are counted apart, and no advice${missing:+, but not of$missing}"
MUBLAS_OFFLOAD=always MUBLAS_DEVICE_MEMORY=64K held rewritten 3 &&
    advises '[0-9.]+ s of calls on the host, because the GPU&#39;s memory is too small for them: dgemv [0-9.]+ s \(3\)\. MUBLAS_DEVICE_MEMORY'
result $? "too little memory on the device"
printf '%s\n' "host-blas $(readlink -f "$host_blas")" "host-threads 1" "host dsymv 100 300 2000000 300" \
    "device dsymv 100 10 2000000 10" "upload pinned 1000 10 10000000 100" "wake 1000" > "$work/lines"
"$build/tests/system/make_recipe" "$work/lines" > "$work/recipe" && export OMP_NUM_THREADS=1 &&
    MUBLAS_RECIPE=$work/recipe held shared 30 &&
    advises 'dsymv: [0-9.]+ s on the host in 2[0-9] calls, because the matrix lies in memory whose writes cannot be followed \(shared' &&
    ! grep -q 'No recipe' "$page"
result $? "a matrix in shared memory; and a recipe that is there is not missed"
unset OMP_NUM_THREADS # with one thread the host is slow, and one call pays for everything

# Whether there is a driver is told though nothing was worth waking a device.
held small 3 && ! advises 'No GPU could be used'
result $? "with a driver nothing is said of it"
MUBLAS_CUDA_DRIVER=/nonexistent/libcuda.so.1 held small 3 && ! advises 'The GPU was not woken' &&
    advises 'No GPU could be used: no CUDA driver \(/nonexistent/libcuda.so.1: .*install its driver; start a container with the GPU' &&
    grep -q '<th scope="row">device</th><td class="text file">none usable: no CUDA driver (/nonexistent' "$page"
result $? "without one that is told, and what to do"
MUBLAS_OFFLOAD=never MUBLAS_CUDA_DRIVER=/nonexistent/libcuda.so.1 held small 3 && ! advises 'No GPU could be used'
result $? "but not to who wants none"

# LAPACK: what it calls inside counts once.
program=$build/fortran/eigensolver
if "$program" 1 > /dev/null 2>&1; [ $? != 127 ]; then
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=auto under_shim "$program" 300 3 && is_good && advises '[0-9.]+ s of calls on the host, because .*dsyevd ([0-9.]+ s )?\(1\)'
    result $? "an eigensolver on the host: advice on each routine that stayed there"
    rm -f "$work"/report*
    MUBLAS_CUDA_DRIVER=/nonexistent/libcuda.so.1 under_shim "$program" 300 3 && is_good &&
        advises 'No GPU could be used: no CUDA driver \(/nonexistent/libcuda.so.1: ' &&
        advises '[0-9.]+ s of calls on the host, because there was no usable GPU that they could have paid for: .*dsyevd ([0-9.]+ s )?\(1\)'
    result $? "without a driver that is the reason given"
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=always MUBLAS_CUDA_DRIVER=/nonexistent/libcuda.so.1 under_shim "$program" 100 3 && is_good &&
        advises '[0-9.]+ s of calls on the host, because there was no usable GPU: .*dsyevd ([0-9.]+ s )?\(1\)'
    result $? "and of calls that looked for the device"
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=always MUBLAS_CUSOLVER=/nonexistent/libcusolver.so under_shim "$program" 100 3 && is_good &&
        advises '[0-9.]+ s of calls on the host, because no cuSOLVER was found that works: .*dsyevd ([0-9.]+ s )?\(1\).*\. Install '
    result $? "without cuSOLVER that is, and what to install"
    rm -f "$work"/report*
    MUBLAS_CUDA_DRIVER=/nonexistent/libcuda.so.1 MUBLAS_CUSOLVER=/nonexistent/libcusolver.so \
        under_shim "$program" 300 3 && is_good && ! advises '.*Install CUDA' &&
        advises '[0-9.]+ s of calls on the host, because neither a usable GPU nor cuSOLVER was found: .*dsyevd ([0-9.]+ s )?\(1\)'
    result $? "without a GPU besides nobody is sent to install cuSOLVER alone"
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=always MUBLAS_TRACKING=0 under_shim "$program" 100 3 && is_good && advises 'MUBLAS_TRACKING=0: '
    result $? "what no tracking costs is told"
fi

if [ -z "$sanitizers" ]; then
    rm -f "$work"/report*
    "$build/mublas" run --offload=never --report="$page" -- "$counted" > "$work/output" 2> "$work/errors" && is_good
    result $? "mublas run --report=FILE.html"
    rm -f "$work"/report*
    "$build/mublas" run --report="$page" -- /bin/true 2> "$work/errors" && [ ! -s "$work/errors" ] && is_good &&
        advises 'This program made no BLAS or LAPACK call that mublas could see\.'
    result $? "of a program without BLAS calls the page says that"
    rm -f "$work"/report*
    "$build/mublas" run --report="$page" -- sh -c '/bin/true; exit 3' 2> "$work/errors"
    [ $? = 3 ] && [ ! -s "$work/errors" ] && [ ! -e "$page" ]
    result $? "a script leaves that to the programs that it starts"
    "$build/mublas" run --report="$page" -- sh -c '"$0"; exit 3' "$counted" > "$work/output" 2> "$work/errors"
    [ $? = 3 ] && is_good && grep -q '<h1>.*/counted</h1>' "$page"
    result $? "and their page stays"
fi
if [ -z "$sanitizers" ] && [ -z "$libelf_missing" ]; then
    echo '__attribute__((visibility("hidden"))) void dsymv_(void) {} void use(void); void use(void) { dsymv_(); }' > "$work/hidden.c"
    echo 'void use(void); int main(void) { use(); return 0; }' > "$work/main.c"
    $compiler -fPIC -O1 -fno-lto -shared -o "$work/libhidden.so" "$work/hidden.c" &&
        $compiler -o "$work/main" "$work/main.c" -L"$work" -lhidden -Wl,-rpath,"$work" &&
        rm -f "$work"/report* &&
        "$build/mublas" run --report="$page" -- "$work/main" 2> "$work/errors" && is_good &&
        advises "Not interceptable, so not in this report: $work/libhidden.so: 1 BLAS routine: a BLAS is linked statically"
    result $? "a static BLAS in a library is told, though no call came to mublas"
    if $compiler -static -o "$work/static" "$work/main.c" "$work/hidden.c" 2> /dev/null; then
        "$build/mublas" run --report="$page" -- "$work/static" 2> "$work/errors"
        [ "$(wc -l < "$work/errors")" = 1 ] && grep -q 'there will be no report of .*/static: it is statically linked' "$work/errors"
        result $? "that there will be no report of a static program"
    fi
fi
echo "1..$number"
