# MUBLAS_LIBELF: elfutils' libelf, with which `mublas info -- PROGRAM` looks into programs.
#
# --without-libelf leaves it out; --with-libelf makes its absence an error.
# Substitutes LIBELF_LIBS and libelf_missing, the reason when it is left out; sets the
# automake conditional LIBELF.
AC_DEFUN([MUBLAS_LIBELF], [
AC_ARG_WITH([libelf],
    [AS_HELP_STRING([--without-libelf], [leave out `mublas info -- PROGRAM', which reads programs with libelf])],
    [], [with_libelf=check])
libelf_missing=
LIBELF_LIBS=
AS_IF([test "$with_libelf" = no], [libelf_missing="switched off by --without-libelf"], [
    AC_CHECK_HEADER([gelf.h], [], [libelf_missing="gelf.h was not found (Debian: libelf-dev)"])
    AS_IF([test -z "$libelf_missing"],
        [AC_CHECK_LIB([elf], [elf_getdata_rawchunk], [LIBELF_LIBS=-lelf],
            [libelf_missing="libelf with elf_getdata_rawchunk was not found (Debian: libelf-dev)"])])
    AS_IF([test "$with_libelf" = yes && test -n "$libelf_missing"],
        [AC_MSG_ERROR([--with-libelf: $libelf_missing])])
])
AC_SUBST([LIBELF_LIBS])
AC_SUBST([libelf_missing])
AM_CONDITIONAL([LIBELF], [test -z "$libelf_missing"])
])
