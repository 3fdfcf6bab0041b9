#!/bin/bash
# The demo as it is run in this build, the words that ./quickstart takes, and how it configures: beside a configure
# that only notes how it was called.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE

refuses() # PATTERN WORD...
{
    local pattern=$1
    shift
    "$source_tree/quickstart" "$@" > "$work/output" 2> "$work/errors"
    [ $? != 0 ] && [ ! -s "$work/output" ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q -- "$pattern" "$work/errors"
    result $? "quickstart $*: $(head -n 1 "$work/errors")"
}
largest=$(sed -n 's/.*largest_n = \([0-9]*\).*/\1/p' "$source_tree/fortran/eigensolver.f90")
refuses "whole number from 1 to $largest, not '100000'" demo 100000
refuses "from 1 to $largest, not '$((largest + 1))'" demo $((largest + 1))
refuses "not 'x'" demo x
refuses "'5' is one word too many" demo 4 5
refuses "--with-cuda=/nowhere: there is no bin/nvcc" demo --with-cuda=/nowhere
refuses "'100000' is neither demo, check nor help.* from 1 to $largest" 100000
refuses "'now' is one word too many" check now
"$source_tree/quickstart" help > "$work/output" && grep -qF "1 to $largest" "$work/output"
result $? "help names the limit"

# A tree whose configure notes its arguments and the nvcc that it finds. Nothing is installed.
tree=$work/tree
mkdir -p "$tree/fortran" "$work/bin" "$work/late/bin" "$work/one/bin" "$work/other/bin"
cp "$source_tree/quickstart" "$tree"
printf '#!/bin/sh\necho "ii "\n' > "$work/bin/dpkg-query"
printf '#!/bin/sh\nexit 0\n' | tee "$work/late/bin/nvcc" "$work/one/bin/nvcc" > "$work/other/bin/nvcc"
printf '#!/bin/sh\necho "demo $*"\n' > "$tree/fortran/demo.sh"
cat > "$tree/configure" <<'SH'
#!/bin/bash
echo "$*" >> ../configured
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
for word; do case $word in --with-cuda=*) nvcc=${word#*=}/bin/nvcc ;; --without-cuda) nvcc= ;; esac; done
printf 'NVCC = %s\nall: mublas\nmublas:\n\tprintf "#!/bin/sh\\n" > mublas; chmod +x mublas\n' "$nvcc" > Makefile
printf '#!/bin/sh\necho "%s"\n' "$(printf "'%s' " "$@")" > config.status
chmod +x config.status
SH
chmod +x "$work/bin/dpkg-query" "$work"/*/bin/nvcc "$tree/fortran/demo.sh" "$tree/configure"
path=$work/bin:/usr/bin:/bin
demo() # WHAT CONFIGURED... : the calls of configure so far, in order; PATH is $path
{
    local what=$1 wanted
    shift
    wanted=$(printf '%s\n' "$@")
    ( cd "$work" && PATH=$path "$tree/quickstart" demo "${words[@]}" > "$work/output" 2> "$work/errors" ) &&
        [ "$(tail -n 1 "$work/output")" = "demo build 7" ] && [ "$(cat "$tree/configured")" = "$wanted" ]
    result $? "$what"
}
words=(7)
demo "the first demo configures" ""
demo "the next one does not"  ""
path=$work/late/bin:$path
demo "nvcc came later: it configures again" "" ""
words=(--with-cuda=one 7) # from the folder in which it is called
demo "--with-cuda=DIR reaches build/" "" "" "--with-cuda=$work/one"
words=(7)
demo "and is remembered" "" "" "--with-cuda=$work/one"
mkdir -p "$tree/build/src/gpu/kernels" && touch "$tree/build/src/gpu/kernels/kernels.fatbin"
words=("--with-cuda=$work/other" 7)
demo "another toolkit" "" "" "--with-cuda=$work/one" "--with-cuda=$work/other" &&
    [ ! -e "$tree/build/src/gpu/kernels/kernels.fatbin" ]
result $? "the kernels of the last one are not taken for its own"
rm -r "$work/other" # it has gone
words=(7)
demo "a toolkit that has gone is not asked for" "" "" "--with-cuda=$work/one" "--with-cuda=$work/other" ""

# A folder that somebody has configured himself.
rm -r "$tree/build" "$tree/configured"
mkdir "$tree/build" && ( cd "$tree/build" && PATH=$path ../configure --prefix=/opt --without-cuda )
demo "one's own configuration is left as it is" "--prefix=/opt --without-cuda"
words=(--with-cuda=one 7)
demo "but for a toolkit that is named" "--prefix=/opt --without-cuda" "--prefix=/opt --without-cuda --with-cuda=$work/one"
demo "once" "--prefix=/opt --without-cuda" "--prefix=/opt --without-cuda --with-cuda=$work/one"

"$build/fortran/eigensolver" 1 > /dev/null 2>&1
if [ $? = 127 ] || [ -n "$sanitizers" ]; then
    skip "the demo" "no Fortran compiler, or sanitizers, which its program lacks"
    echo "1..$number"
    exit
fi
export MUBLAS_RECIPE=none MUBLAS_CUDA_DRIVER=libcuda.so.1
use_reference_libraries
( cd / && "$source_tree/fortran/demo.sh" "$build" 48 ) > "$work/output" 2> "$work/errors"
[ $? = 0 ] && [ ! -s "$work/errors" ] && cp "$work/output" "$work/demo"
result $? "the demo runs"
[ "$(grep -cE '^(residual|orthogonality) .* of .* in n .*eps; limit: ' "$work/demo")" = 4 ]
result $? "residual and orthogonality have unit and limit"
line() { grep -nE -m 1 "$1" "$work/demo" | cut -d: -f1; }
[ "$(line '^dsyevd +1 call on the (emulated device|GPU)$')" -lt "$(line '^mublas report of process')" ] &&
    grep -qE '^3 of 3 calls of BLAS and LAPACK ran on ' "$work/demo"
result $? "what ran where is said before the report"
commands=0 failed=
while IFS= read -r command; do
    commands=$((commands + 1))
    ( cd / && sh -c "$command" ) > "$work/again" 2> "$work/errors" && grep -q '^digest' "$work/again" || failed+=" $command"
done < <(sed -n 's/^\$ //p' "$work/demo")
[ $commands = 2 ] && [ -z "$failed" ] && [ "$(sed -n 's/^digest *//p' "$work/again")" = \
    "$(sed -n 's/^digest *//p' "$work/demo" | tail -n 1)" ]
result $? "the $commands commands that it prints run as they stand, with the same result${failed:+, but not$failed}"
missing=
for file in $(grep -oE "$build/[^ ;)]*" "$work/demo" | sort -u); do [ -e "$file" ] || missing+=" $file"; done
[ -z "$missing" ] && ! grep -q 'mublas tune' "$work/demo"
result $? "all files that it names are there, and nothing is advised that cannot be done${missing:+; not there:$missing}"
[ "$(tail -n 1 "$work/demo")" = "$build/mublas run --report -- ./my_program" ]
result $? "it ends with the line for one's own program"
! grep -q '^Running on the EMULATED' "$work/demo" || grep -qx "$build/mublas run --estimate -- ./my_program" "$work/demo"
result $? "without a GPU it says how to foretell what one would gain"
cp /usr/bin/env "$work/my_program"
( cd "$work" && sh -c "$(tail -n 1 demo)" ) > "$work/output" 2> "$work/errors" && grep -q '^LD_PRELOAD=.*shim' "$work/output"
result $? "which works"
echo "1..$number"
