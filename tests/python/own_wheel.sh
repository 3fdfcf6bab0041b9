#!/bin/bash
# mublas' own wheel: made of this build, as PEP 427 and PEP 376 say, installed by pip beside NumPy's and SciPy's
# wheels in a virtual environment, used in every way and removed.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
unset MUBLAS_CUBLAS MUBLAS_CUSOLVER PYTHONPATH VIRTUAL_ENV
python=${PYTHON:-/usr/bin/python3}
for module in pip venv; do
    "$python" -c "import $module" 2> /dev/null || { echo "1..0 # SKIP $python has no $module"; exit; }
done
command -v man > /dev/null || command -v mandoc > /dev/null ||
    { echo "1..0 # SKIP there is no man and no mandoc, which write the page in the wheel"; exit; }
run() { "$@" > "$work/output" 2> "$work/errors"; }
make_wheel() { run "$source_tree/packaging/wheel" --output="$work" "$@"; }

make_wheel "$build" && wheel=$(tail -n 1 "$work/output") && [ -s "$wheel" ] &&
    { [ -s "$build/src/gpu/kernels/kernels.fatbin" ] || grep -q 'NO kernels' "$work/errors"; }
result $? "a wheel: ${wheel##*/}"
run "$python" - "$wheel" "$source_tree" << 'END'
import base64, csv, email, hashlib, re, sys, zipfile
path, sources = sys.argv[1:]
name = path.rsplit("/", 1)[1][:-len(".whl")]
version = re.search(r"^AC_INIT\(\[mublas\], \[(.*)\]\)", open(f"{sources}/configure.ac").read(), re.M)[1]
archive = zipfile.ZipFile(path)
assert archive.testzip() is None
information = f"mublas-{version}.dist-info"
read = lambda file: archive.read(f"{information}/{file}").decode()
tag = re.fullmatch(rf"mublas-{re.escape(version)}-(py3-none-manylinux_2_(\d+)_x86_64)", name)
assert tag and int(tag[2]) <= 36, name
assert email.message_from_string(read("WHEEL"))["Tag"] == tag[1]
assert email.message_from_string(read("METADATA"))["Version"] == version
rows = {row[0]: row[1:] for row in csv.reader(read("RECORD").splitlines())}
assert sorted(rows) == sorted(archive.namelist()), "RECORD has other files than the archive"
for file, (digest, size) in rows.items():
    data = archive.read(file)
    found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert (digest, size) == ("", "") if file.endswith("/RECORD") else (digest, size) == (found, str(len(data))), file
assert archive.getinfo("mublas/bin/mublas").external_attr >> 16 & 0o777 == 0o755
assert "\nDESCRIPTION\n" in archive.read("mublas/mublas.1.txt").decode()
assert any(file.endswith(".recipe") for file in rows)
END
result $? "tag, version, RECORD and what is in it"
before=$(sha256sum < "$wheel") && make_wheel "$build" 2> /dev/null && [ "$before" = "$(sha256sum < "$wheel")" ]
result $? "made again it is the same, byte for byte"
refused() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^wheel: .*$1" "$work/errors"; }
! make_wheel --glibc=2.20 "$build" && refused 'needs glibc 2\.[0-9]* ([a-z_]*), newer than 2.20'
result $? "refused for an older glibc: $(cat "$work/errors")"
mkdir -p "$work/other/.libs" "$work/other/packaging"
cp "$build/Makefile" "$work/other" && cp "$build/packaging/wheel_command" "$work/other/packaging"
$compiler -shared -o "$work/liblocal.so" -Wl,-soname,liblocal.so.1 -x c /dev/null &&
    $compiler -shared -o "$work/other/.libs/libmublas_shim.so" -Wl,--no-as-needed "$work/liblocal.so" -x c /dev/null
! make_wheel "$work/other" && refused 'needs liblocal.so.1, which not every Linux has'
result $? "refused with a library that not every Linux has"
! make_wheel "$work" && refused 'not a build folder'
result $? "and where nothing was built"

"$python" -m venv --without-pip "$work/environment"
site=$(echo "$work"/environment/lib/python3*/site-packages)
brought=()
for module in numpy scipy; do
    for place in "$hosts/wheel" "$hosts/wheel-scipy"; do
        [ ! -d "$place/$module" ] || { brought+=("$module"); echo "$place" >> "$site/brought.pth"; }
    done
done
list() { ( cd "$work/environment" && find . -name __pycache__ ! -path '*mublas*' -prune -o -print | sort ); }
list > "$work/before"
run "$python" -m pip --disable-pip-version-check --python "$work/environment/bin/python" install --no-index "$wheel"
result $? "pip installs it"
PATH=$work/environment/bin:$PATH
cd "$work" || exit 1
shim=$site/mublas/lib/libmublas_shim.so
[ "$(mublas --version)" = "mublas $(python -c 'import mublas; print(mublas.__version__)')" ] &&
    [ "$("$(python -c 'import mublas; print(mublas.command())')" --version)" = "$(mublas --version)" ] &&
    [ "$(python -c 'import mublas; print(mublas.library())')" = "$shim" ]
result $? "the command of the environment, and the module, say which version"
run mublas run -- env && grep -qx "LD_PRELOAD=$shim" "$work/output"
result $? "mublas run preloads the environment's library"
run python -m mublas --manual && grep -q '^MUBLAS(1)' "$work/output"
result $? "python -m mublas --manual"
ldd "$site/mublas/bin/mublas" > "$work/output"
! grep -q libelf "$work/output" || grep -q "libelf.so.1 => $site/mublas/bin/../lib/libelf" "$work/output"
result $? "the command finds the libelf that came with it"
# -B: pip forgets caches of -O, whatever package they are of.
# Python makes of each form what it makes of the same without mublas.
cat > script.py << 'END'
import os, sys
print(__name__, sys.argv, sys.path[0], sys.flags.optimize, sys.flags.isolated, sys.executable, bool(os.environ.get("LD_PRELOAD")))
sys.exit(int(sys.argv[1]))
END
same() # STATUS WORDS...: behind `python`, and behind `python -m mublas`
{
    python "${@:2}" > expected
    python -m mublas "${@:2}" > "$work/output" 2> "$work/errors"
    [ $? = "$1" ] && sed -i 's/False$/True/' expected && cmp -s expected "$work/output" && [ ! -s "$work/errors" ]
}
code="import os, sys; print(sys.argv, sys.path[0], sys.flags.optimize, bool(os.environ.get('LD_PRELOAD')))"
same 7 script.py 7 --report "a b" && same 0 -m script 0 -m && same 0 -c "$code" --version && same 0 -BOI script.py 0
result $? "SCRIPT, -m MODULE, -c CODE and Python's own options, as python has them"
python -BOI script.py 0 | sed 's/False$/True/' > expected
run python -BOIm mublas script.py 0 && cmp -s expected "$work/output" &&
    run python -B -O -I -mmublas --offload=never -- script.py 0 && cmp -s expected "$work/output"
result $? "options before -m mublas are the script's Python's too"
run python -m mublas
[ $? = 2 ] && head -n 1 "$work/errors" | grep -q '^mublas: there is no SCRIPT' && [ ! -s "$work/output" ]
result $? "$(head -n 1 "$work/errors")"
run python -m mublas --offload=often script.py 0
[ $? != 0 ] && grep -q "often" "$work/errors"
result $? "options of mublas run come to it: $(head -n 1 "$work/errors")"
# NVIDIA's wheels, by stand-ins.
for place in cublas/lib/libcublas.so.12 cusolver/lib/libcusolver.so.11; do
    mkdir -p "$site/nvidia/${place%/*}" && touch "$site/nvidia/$place"
done
run mublas run -- env && grep -qx "MUBLAS_CUBLAS=$site/nvidia/cublas/lib/libcublas.so.12" "$work/output" &&
    grep -qx "MUBLAS_CUSOLVER=$site/nvidia/cusolver/lib/libcusolver.so.11" "$work/output" &&
    MUBLAS_CUBLAS=/mine run mublas run -- env && grep -qx "MUBLAS_CUBLAS=/mine" "$work/output"
result $? "cuBLAS and cuSOLVER of NVIDIA's wheels are named, unless the user names others"
rm -r "$site/nvidia"

use_emulated_driver
export MUBLAS_OFFLOAD=always MUBLAS_RECIPE=none
mkdir -m 700 runtime
XDG_RUNTIME_DIR=$work/runtime mublas serve --keep > served 2> serve_errors &
until grep -q 'serves$' served || ! kill -0 $!; do sleep 0.05; done
XDG_RUNTIME_DIR=$work/runtime MUBLAS_VERBOSE=2 run mublas run -- "$build/tests/system/counted" &&
    grep -q 'through the service$' "$work/errors" && XDG_RUNTIME_DIR=$work/runtime run mublas serve --stop && wait $! &&
    [ -z "$(ls -A runtime)" ] && [ ! -s serve_errors ]
result $? "its service: a program goes by it, and nothing is left of it"
cat > eigen.py << 'END'
import importlib, sys
import numpy
linalg = importlib.import_module(sys.argv[1])
a = numpy.random.default_rng(1).standard_normal((96, 96))
a += a.T
w, v = linalg.eigh(a)
print("right" if abs(a @ v - v * w).max() < 1e-11 else "wrong")
END
on_device() { awk '$1 ~ /syev[dr]/ && $3 > 0 { found = 1 } END { exit !found }' report; }
tried() # MODULE WORDS...: behind them eigen.py
{
    rm -f report
    run "${@:2}" eigen.py "$1" && [ "$(cat "$work/output")" = right ] && on_device
}
for module in numpy scipy; do
    what="$module's wheel: an eigensolver on the device, by python -m mublas and by mublas run"
    if [[ " ${brought[*]} " != *" numpy "* || " ${brought[*]} " != *" $module "* ]]; then
        skip "$what" "its wheel is not here; $how_to_fetch"
        continue
    fi
    tried $module.linalg python -m mublas --report=report && tried $module.linalg mublas run --report=report -- python
    result $? "$what"
done
cd / && run "$python" -m pip --disable-pip-version-check --python "$work/environment/bin/python" uninstall --yes mublas &&
    list > "$work/after" && diff "$work/before" "$work/after" > "$work/output"
result $? "pip uninstall leaves nothing"
echo "1..$number"
