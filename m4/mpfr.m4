# MUBLAS_MPFR: GNU MPFR, by which the tests measure the error of double-double results.
#
# --without-mpfr leaves it out; --with-mpfr makes its absence an error. Nothing that is
# installed links it. Substitutes MPFR_LIBS and mpfr_missing, the reason when it is left
# out; sets the automake conditional MPFR.
AC_DEFUN([MUBLAS_MPFR], [
AC_ARG_WITH([mpfr],
    [AS_HELP_STRING([--without-mpfr], [leave out the tests of double-double accuracy, which need MPFR])],
    [], [with_mpfr=check])
mpfr_missing=
MPFR_LIBS=
AS_IF([test "$with_mpfr" = no], [mpfr_missing="switched off by --without-mpfr"], [
    AC_CHECK_HEADER([mpfr.h], [], [mpfr_missing="mpfr.h was not found (Debian: libmpfr-dev)"])
    AS_IF([test -z "$mpfr_missing"],
        [AC_CHECK_LIB([mpfr], [mpfr_inits2], [MPFR_LIBS="-lmpfr -lgmp"],
            [mpfr_missing="libmpfr was not found (Debian: libmpfr-dev)"], [-lgmp])])
    AS_IF([test "$with_mpfr" = yes && test -n "$mpfr_missing"],
        [AC_MSG_ERROR([--with-mpfr: $mpfr_missing])])
])
AC_SUBST([MPFR_LIBS])
AC_SUBST([mpfr_missing])
AM_CONDITIONAL([MPFR], [test -z "$mpfr_missing"])
])
