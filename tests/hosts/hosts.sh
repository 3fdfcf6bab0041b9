# Sourced after environment.sh: the host BLAS libraries that tests/hosts/fetch.sh unpacked.
# MUBLAS_TEST_HOSTS is its folder; by default "hosts" in the build directory.
hosts=${MUBLAS_TEST_HOSTS:-$build/hosts}
how_to_fetch="fetch it by: tests/hosts/fetch.sh $hosts"
# Such a library may need this beside its own folder.
host_extra_directory=$hosts/root/usr/lib/$multiarch

# The names of GROUP (lp64, ilp64) in tests/hosts/packages.
host_names() { awk -v group="$1" '$1 == group { print $2 }' "$source_tree/tests/hosts/packages"; }

# Print the path of the library NAME: the unpacked one, else one that is installed.
host_library()
{
    local file root
    file=$(awk -v name="$1" '$2 == name { print $4 }' "$source_tree/tests/hosts/packages")
    for root in "$hosts/root" ""; do
        [ ! -e "$root/usr/lib/${file/@/$multiarch}" ] ||
            { echo "$root/usr/lib/${file/@/$multiarch}"; return; }
    done
    return 1
}

# host_directories NAME: for LD_LIBRARY_PATH.
host_directories()
{
    local library
    library=$(host_library "$1") && echo "${library%/*}:$host_extra_directory"
}
