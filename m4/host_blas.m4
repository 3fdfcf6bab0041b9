# MUBLAS_HOST_BLAS: the BLAS that the shim falls back upon where the program
# itself brings none. --with-host-blas=PATH; by default the system's own.
# Defines MUBLAS_CONFIGURED_HOST_BLAS ("" unless given) and MUBLAS_DEFAULT_HOST_BLAS
# (what was given, otherwise the reference BLAS), and substitutes HOST_BLAS, HOST_BLAS_DIRECTORY
# (empty where the loader's own search path is meant) and HOST_LAPACK_DIRECTORY.
AC_DEFUN([MUBLAS_HOST_BLAS], [
AC_ARG_WITH([host-blas],
    [AS_HELP_STRING([--with-host-blas=PATH], [host BLAS where the program brings none (default: the system's libblas.so.3)])],
    [], [with_host_blas=])
AC_MSG_CHECKING([for the default host BLAS])
multiarch=`$CC -print-multiarch 2>/dev/null`
AS_CASE([$with_host_blas],
    [yes | no], [
        AC_MSG_RESULT([])
        AC_MSG_ERROR([--with-host-blas needs the path of a BLAS library: --with-host-blas=PATH])],
    [''], [
        HOST_BLAS=libblas.so.3
        for directory in /usr/lib/$multiarch/blas /usr/lib64/blas /usr/lib/blas; do
            AS_IF([test -f "$directory/libblas.so.3"], [HOST_BLAS=$directory/libblas.so.3; break])
        done],
    [*/*], [
        AS_IF([test ! -f "$with_host_blas"], [
            AC_MSG_RESULT([])
            AC_MSG_ERROR([--with-host-blas=$with_host_blas: there is no such file])])
        HOST_BLAS=$with_host_blas],
    [HOST_BLAS=$with_host_blas])
AC_MSG_RESULT([$HOST_BLAS])
AC_SUBST([HOST_BLAS])
AC_SUBST([CONFIGURED_HOST_BLAS], [$with_host_blas])
AC_DEFINE_UNQUOTED([MUBLAS_CONFIGURED_HOST_BLAS], ["$with_host_blas"], [host BLAS to bind where the program brings none])
AC_DEFINE_UNQUOTED([MUBLAS_DEFAULT_HOST_BLAS], ["$HOST_BLAS"], [the same, otherwise the reference BLAS])

AS_CASE([$HOST_BLAS], [*/*], [HOST_BLAS_DIRECTORY=`AS_DIRNAME(["$HOST_BLAS"])`], [HOST_BLAS_DIRECTORY=])
HOST_LAPACK_DIRECTORY=
AS_IF([test -f "/usr/lib/$multiarch/lapack/liblapack.so.3"], [HOST_LAPACK_DIRECTORY=/usr/lib/$multiarch/lapack])
AC_SUBST([HOST_BLAS_DIRECTORY])
AC_SUBST([HOST_LAPACK_DIRECTORY])
AC_SUBST([MULTIARCH], [$multiarch])

# What test programs link: the development package may be missing.
AC_MSG_CHECKING([how to link a BLAS into test programs])
BLAS_LIBS=
saved_LIBS=$LIBS
for candidate in -lblas "$HOST_BLAS"; do
    LIBS="$candidate $saved_LIBS"
    AC_LINK_IFELSE([AC_LANG_CALL([], [dsymv_])], [BLAS_LIBS=$candidate; break])
done
LIBS=$saved_LIBS
AC_MSG_RESULT([${BLAS_LIBS:-not at all: some tests cannot be built}])
AC_SUBST([BLAS_LIBS])

AC_MSG_CHECKING([how to link LAPACK into test programs])
LAPACK_LIBS=
for candidate in -llapack "$HOST_LAPACK_DIRECTORY/liblapack.so.3"; do
    LIBS="$candidate $BLAS_LIBS $saved_LIBS"
    AC_LINK_IFELSE([AC_LANG_CALL([], [dsyevd_])], [LAPACK_LIBS=$candidate; break])
done
LIBS=$saved_LIBS
AC_MSG_RESULT([${LAPACK_LIBS:-not at all: the tests of LAPACK routes cannot be built}])
AC_SUBST([LAPACK_LIBS])
AM_CONDITIONAL([LAPACK], [test -n "$LAPACK_LIBS"])
])
