# MUBLAS_CHECKS: what the project's own checks switch on.
#
# --enable-werror           warnings are errors
# --enable-sanitizers=LIST  address,undefined or thread
# Substitutes WERROR_FLAGS, SANITIZER_FLAGS and SANITIZERS (names with spaces).
AC_DEFUN([MUBLAS_CHECKS], [
AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])], [], [enable_werror=no])
AS_CASE([$enable_werror],
    [yes], [WERROR_FLAGS=-Werror],
    [no], [WERROR_FLAGS=],
    [AC_MSG_ERROR([--enable-werror takes no value (got '$enable_werror')])])
AC_SUBST([WERROR_FLAGS])

AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers=LIST], [build with sanitizers: address,undefined or thread])],
    [], [enable_sanitizers=no])
SANITIZERS=
SANITIZER_FLAGS=
AS_IF([test "$enable_sanitizers" != no], [
    SANITIZERS=`AS_ECHO(["$enable_sanitizers"]) | tr ',' ' '`
    for sanitizer in $SANITIZERS; do
        AS_CASE([$sanitizer],
            [address | undefined | thread], [],
            [AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: '$sanitizer' is none of address, undefined, thread])])
    done
    AS_CASE([" $SANITIZERS "],
        [*' address thread '* | *' thread address '* | *' address '*' thread '* | *' thread '*' address '*],
        [AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: address and thread exclude each other])])
    SANITIZER_FLAGS="-fsanitize=$enable_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
    AC_MSG_CHECKING([whether $CC links with -fsanitize=$enable_sanitizers])
    saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZER_FLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: $CC does not link with them])])
    CFLAGS=$saved_CFLAGS
])
AC_SUBST([SANITIZERS])
AC_SUBST([SANITIZER_FLAGS])
AM_CONDITIONAL([SANITIZED], [test -n "$SANITIZERS"])
AM_CONDITIONAL([THREAD_SANITIZER], [test "$SANITIZERS" = thread])
])

# MUBLAS_SUMMARY: what was configured, what is left out, and why.
AC_DEFUN([MUBLAS_SUMMARY], [
AS_IF([test -n "$NVCC"],
    [cuda_summary="embedded, by $NVCC for $cuda_list, with PTX of $cuda_newest"],
    [cuda_summary="LEFT OUT: $cuda_missing.
                     On a GPU every call stays on the host BLAS; the emulated device of the tests still runs the kernels."])
AS_IF([test -z "$fortran_missing"],
    [fortran_summary="built with $FC"],
    [fortran_summary="LEFT OUT: $fortran_missing. No eigensolver example."])
AS_IF([test -z "$libelf_missing"],
    [libelf_summary="looked into with libelf"],
    [libelf_summary="LEFT OUT: $libelf_missing. No mublas info -- PROGRAM."])
AS_IF([test -z "$mpfr_missing"],
    [mpfr_summary="measured with MPFR"],
    [mpfr_summary="NOT MEASURED by the tests: $mpfr_missing."])
AS_IF([test -z "$scalapack_missing"],
    [scalapack_summary="tested with ScaLAPACK ($SCALAPACK_LIBS, $MPIRUN)"],
    [scalapack_summary="NOT TESTED: $scalapack_missing."])
AS_ECHO(["
mublas $PACKAGE_VERSION
  GPU kernels        $cuda_summary
  Fortran examples   $fortran_summary
  programs           $libelf_summary
  double-double      $mpfr_summary
  MPI programs       $scalapack_summary
  default host BLAS  ${with_host_blas:-the system's; the tests use $HOST_BLAS}
  warnings as errors $enable_werror
  sanitizers         ${SANITIZERS:-none}
  prefix             $prefix
"])
])
