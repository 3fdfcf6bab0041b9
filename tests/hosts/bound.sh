# Sourced by the scripts that compare runs.
# bound_as_meant FOLDER: by the reports there, did mublas bind $HOST_BLAS, if that is set, or a
# library beside it? A BLAS library brings its others in its own folder.
bound_as_meant()
{
    local bound expected
    [ -n "$HOST_BLAS" ] || return 0
    expected=$(dirname "$(readlink -f "$HOST_BLAS")")
    while read -r bound; do
        [ "$(dirname "$(readlink -f "$bound")")" = "$expected" ] || return 1
    done < <(cat "$1"/report* 2> /dev/null | sed -n 's/^  host BLAS  *\(.*\) (.*/\1/p')
}
