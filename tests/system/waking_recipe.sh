# Sourced by tests of waking. "$work/recipe" says that each dsymv gains 4990 us of 5000, and waking costs 70000: a
# quarter more than that is paid by the 17th call after a first one.

# write_waking_recipe [LINE...]: what it says besides
write_waking_recipe()
{
    printf '%s\n' "host-blas $(readlink -f "$host_blas")" "host-threads 1" \
        "host dsymv 100 5000 1000000 5000" "device dsymv 100 10 1000000 10" \
        "upload pinned 1000 10 10000000 100" "wake 70000" "$@" > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$work/recipe"
}
