# MUBLAS_SCALAPACK: ScaLAPACK over MPI, for the test of a parallel program.
#
# --without-scalapack leaves it out; --with-scalapack makes its absence an error. Nothing that is
# installed links it. Substitutes SCALAPACK_LIBS, MPIRUN and scalapack_missing, the reason when it
# is left out; sets the automake conditional SCALAPACK.
AC_DEFUN([MUBLAS_SCALAPACK], [
AC_ARG_WITH([scalapack],
    [AS_HELP_STRING([--without-scalapack], [leave out the test of a parallel program, which needs ScaLAPACK and mpirun])],
    [], [with_scalapack=check])
scalapack_missing=
SCALAPACK_LIBS=
AC_PATH_PROG([MPIRUN], [mpirun])
AS_IF([test "$with_scalapack" = no], [scalapack_missing="switched off by --without-scalapack"],
    [test -z "$MPIRUN"], [scalapack_missing="there is no mpirun (Debian: openmpi-bin)"],
    [mublas_saved_libs=$LIBS
     scalapack_missing="ScaLAPACK was not found (Debian: libscalapack-openmpi-dev)"
     AC_MSG_CHECKING([for ScaLAPACK])
     for mublas_try in -lscalapack-openmpi -lscalapack-mpich -lscalapack; do
         LIBS="$mublas_try $mublas_saved_libs"
         AC_LINK_IFELSE([AC_LANG_PROGRAM([[void pdsyevd_(void); void Cblacs_exit(int);]],
             [[pdsyevd_(); Cblacs_exit(0);]])], [SCALAPACK_LIBS=$mublas_try scalapack_missing=; break])
     done
     LIBS=$mublas_saved_libs
     AC_MSG_RESULT([${SCALAPACK_LIBS:-no}])])
AS_IF([test "$with_scalapack" = yes && test -n "$scalapack_missing"],
    [AC_MSG_ERROR([--with-scalapack: $scalapack_missing])])
AC_SUBST([SCALAPACK_LIBS])
AC_SUBST([scalapack_missing])
AM_CONDITIONAL([SCALAPACK], [test -z "$scalapack_missing"])
])
