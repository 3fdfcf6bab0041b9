verify_blas_sources = src/command/verify/lapack.h src/command/verify/operands.c
verify_lapack_sources = src/command/verify/lapack.h src/command/verify/lapack.c src/command/verify/dense.c \
	src/command/verify/reflectors.c src/command/verify/eigen.c src/command/verify/factor.c \
	src/command/verify/general.c src/command/verify/bidiagonal.c
verify_parallel_sources = src/command/verify/parallel.c src/command/verify/verify.h \
	src/command/verify/parallel_error.c src/command/verify/parallel_library.c \
	src/command/verify/parallel_problem.c
mublas_SOURCES += src/command/verify/verify.c $(verify_blas_sources) \
	$(verify_lapack_sources) $(verify_parallel_sources)
