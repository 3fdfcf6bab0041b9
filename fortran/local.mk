if HAVE_FORTRAN
noinst_PROGRAMS += fortran/eigensolver
endif
fortran_eigensolver_SOURCES = fortran/eigensolver.f90
fortran_eigensolver_LDADD = -llapack -lblas
fortran_eigensolver_FCFLAGS = -ffp-contract=off $(FCFLAGS)
# Fortran programs stay without sanitizers: they stand for other people's programs.
fortran_eigensolver_LDFLAGS =
EXTRA_DIST += fortran/demo.sh
