#!/bin/bash
# Build mublas for 64-bit ARM by Debian's cross compiler, and run tests, the demo and programs of it under qemu-user:
#
#   tests/aarch64.sh [FOLDER [TEST...]]     FOLDER: of the build (default build-aarch64 beside tests/),
#                                           TEST: as make check has it (default: the list below, and the demo)
#
# Nothing of ARM is installed: Debian's packages are fetched by `apt-get download` and unpacked in FOLDER/root, and a
# mount namespace of the script's own lays them over /usr. Its user namespace has a binfmt_misc of its own, so the kernel
# starts ARM programs, whoever calls exec, here and nowhere else. The build is over before that: what runs an ARM program
# while it builds fails. Any user may run it; it needs the cross compilers (the line that it prints says which),
# apt-get, the network for the first time, and Linux 6.7. Exit status 77: something of this is not there.
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:-$source_tree/build-aarch64}
tests=("${@:2}")
host=aarch64-linux-gnu
# Tests that need no GPU's speed and nothing that qemu-user lacks (doc/limits.md): pure logic, threads and jobs, the
# stubs, every routine by every name, arguments, the floating-point environment. Not test_operand_pins, which skips:
# nothing is pinned to stay where writes cannot be followed. test_job_helpers' case without memory skips, since
# qemu-user keeps no RLIMIT_AS, and so do test_scalapack_membership's of a stranger, since the namespace has one user.
default_tests()
{
    local name
    for name in advice blacs block_columns border_search call_spans champion_sieve chip_plan chooser claims \
        completeness cooperative decision exit_gate flag_sets host_page_tables html interval_rules job_helpers known_shapes \
        launch_shape loader_cache log losses nested object_symbols occupancy optimizer pack policy policy_doubt \
        policy_floors policy_purchases program_checks program_state recipe reference_host scalapack_membership settings \
        spline statistics tile_groups tile_plan; do
        echo "tests/unit/test_$name"
    done
    printf 'tests/system/%s.sh\n' symbols library arithmetic arguments entries eigensolver
}

# The reference, and all that configure, the tests' programs and testers want.
packages="libc6 libgcc-s1 libatomic1 libgomp1 libgfortran5 libstdc++6 libblas3 libblas-dev liblapack3 liblapack-dev
    libelf1 libelf-dev zlib1g zlib1g-dev libmpfr6 libmpfr-dev libgmp10 libgmp-dev"

stop() # MESSAGE STATUS
{
    echo "aarch64.sh: $1" >&2
    exit "$2"
}

quietly() # LOG COMMAND...
{
    "${@:2}" > "$1" 2>&1 && return
    tail -n 40 "$1" >&2
    stop "'${*:2}' failed; the whole output is in $1" 1
}

check_tools()
{
    local tool lacking=()
    for tool in gcc g++ gfortran; do
        command -v $host-$tool > /dev/null || lacking+=("$tool-$host")
    done
    [ ${#lacking[@]} = 0 ] || stop "not run: apt-get install ${lacking[*]} libc6-dev-arm64-cross" 77
    command -v apt-get > /dev/null || stop "not run: there is no apt-get on this machine" 77
}

# An apt of its own, for the other architecture: the machine's knows nothing of it.
fetch()
{
    local apt=$folder/apt
    [ ! -e "$folder/root/complete" ] || return 0
    rm -rf "$folder/root" "$apt"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages" "$folder/root/usr/lib"
    : > "$apt/status"
    cat > "$apt/conf" <<TEXT
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
TEXT
    # Statically linked: a program's LD_PRELOAD, of ARM, is nothing to it.
    ( cd "$apt/packages" && quietly "$apt/log" apt-get download qemu-user-static &&
      export APT_CONFIG=$apt/conf && quietly "$apt/log" apt-get update &&
      quietly "$apt/log" apt-get download $packages ) || exit 77
    for package in "$apt"/packages/*.deb; do
        quietly "$apt/log" dpkg-deb -x "$package" "$folder/root"
    done
    prepare_root
    rm -rf "$apt"
    : > "$folder/root/complete"
}

# All under usr; the libraries have the names that update-alternatives would give them.
prepare_root()
{
    local root=$folder/root libraries=$folder/root/usr/lib/$host name
    cp -a "$root/lib/." "$root/usr/lib/" && mv "$root/usr/bin/qemu-aarch64-static" "$root/" || exit 1
    rm -rf "${root:?}"/lib "${root:?}"/usr/bin "${root:?}"/usr/share
    for name in blas lapack; do
        ln -sf "$name/lib$name.so" "$name/lib$name.so.3" "$libraries/"
    done
}

# In the namespace.
lay_over_usr()
{
    mount -t overlay overlay -o "lowerdir=$folder/root/usr:/usr" /usr 2> /dev/null ||
        stop "not run: an overlay cannot be mounted over /usr in a namespace of the script's own" 77
}

start_arm_programs()
{
    local name=mublas-aarch64 magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2> /dev/null &&
        echo ":$name:M::$magic:$mask:$folder/root/qemu-aarch64-static:PF" > /proc/sys/fs/binfmt_misc/register ||
        stop "not run: there is no binfmt_misc in a user namespace (Linux 6.7)" 77
}

# dash makes libtool twice as fast as bash.
configure_and_build()
{
    local shell=()
    [ ! -x /bin/dash ] || shell=(CONFIG_SHELL=/bin/dash SHELL=/bin/dash)
    [ -x "$source_tree/configure" ] || ( cd "$source_tree" && quietly "$folder/autoreconf.log" autoreconf -i ) || exit 1
    cd "$folder" || exit 1
    [ -e Makefile ] || quietly configure.log env "${shell[@]:0:1}" "$source_tree/configure" --host=$host --enable-werror \
        --without-cuda CFLAGS=-O2 CXXFLAGS=-O1 "${shell[@]}"
    quietly make.log nice make -j"$(nproc)"
    quietly make-tests.log nice make -j"$(nproc)" check TESTS= TEST_CFLAGS=-O0
}

# Random writes between random calls, all of them on the emulated device, and a device that fails.
run_coherence()
{
    echo "--- coherence, without residency"
    MUBLAS_TRUST_TRACKING=1 MUBLAS_VERBOSE=0 timeout 900 bash "$source_tree/tests/run_offloaded.sh" \
        tests/system/coherence 2 100 200 2 faults > coherence.log 2>&1
    local status=$?
    grep -v '^ok' coherence.log
    echo "$(grep -c '^ok' coherence.log) passed, $(grep -c '^not ok' coherence.log) failed"
    [ $status = 0 ] && ! grep -q '^not ok' coherence.log
}

run_demo()
{
    echo "--- the demo"
    timeout 900 "$source_tree/fortran/demo.sh" "$folder" 64 > demo.log 2>&1 &&
        grep '^3 of 3 calls of BLAS and LAPACK ran on the emulated device.$' demo.log &&
        grep '^The largest difference of an eigenvalue' demo.log
}

run_all()
{
    local failed=0 chosen=()
    lay_over_usr
    configure_and_build
    start_arm_programs
    ./mublas --version || stop "the command does not run" 1
    [ ${#tests[@]} -gt 0 ] || mapfile -t chosen < <(default_tests)
    # Otherwise every program would say in its errors that userfaultfd is not there.
    nice timeout 3000 make -j"$(nproc)" check TESTS="${tests[*]:-${chosen[*]}}" TEST_CFLAGS=-O0 \
        SH_LOG_COMPILER="env MUBLAS_TRACKING=0 bash" > check.log 2>&1 || failed=1
    grep -E '^(FAIL|ERROR|XPASS|SKIP): |^# (TOTAL|PASS|SKIP|FAIL|ERROR): ' check.log
    if [ ${#tests[@]} = 0 ]; then
        run_coherence || failed=1
        run_demo || failed=1
    fi
    [ $failed = 0 ] || stop "something failed; the output is in $folder" 1
    echo "aarch64.sh: all of it passed"
}

mkdir -p "$folder" || exit 1
folder=$(readlink -f "$folder")
if [ "$MUBLAS_AARCH64_INSIDE" != yes ]; then
    check_tools
    fetch
    MUBLAS_AARCH64_INSIDE=yes exec unshare --user --map-root-user --mount --pid --fork --kill-child --mount-proc \
        bash "${BASH_SOURCE[0]}" "$folder" "${tests[@]}"
fi
unset MUBLAS_AARCH64_INSIDE
run_all
