# MUBLAS_FORTRAN: is there a Fortran compiler that links LAPACK? Only the example
# programs need it. Sets HAVE_FORTRAN; fortran_missing says why not.
AC_DEFUN([MUBLAS_FORTRAN], [
fortran_missing=
AS_IF([test -z "$FC"], [fortran_missing="no Fortran compiler found"], [
    AC_MSG_CHECKING([whether $FC links LAPACK])
    AC_LANG_PUSH([Fortran])
    saved_LIBS=$LIBS
    LIBS="-llapack -lblas $LIBS"
    AC_LINK_IFELSE([AC_LANG_SOURCE([[
      program probe
      external dsterf
      integer info
      double precision d(1), e(1)
      d(1) = 1
      call dsterf(1, d, e, info)
      end program]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         fortran_missing="$FC cannot link -llapack -lblas"])
    LIBS=$saved_LIBS
    AC_LANG_POP([Fortran])
])
AC_FC_SRCEXT([f90], [], [:])
AM_CONDITIONAL([HAVE_FORTRAN], [test -z "$fortran_missing"])
])
