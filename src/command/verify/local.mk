verify_blas_sources = src/command/verify/numbers.h src/command/verify/ratio.c \
	src/command/verify/operands.c src/command/verify/operands.h
verify_lapack_sources = src/command/verify/numbers.h \
	src/command/verify/arrays.c src/command/verify/arrays.h \
	src/command/verify/dense.c src/command/verify/dense.h \
	src/command/verify/lapack.c src/command/verify/lapack.h \
	src/command/verify/orthogonal_error.c src/command/verify/orthogonal_error.h \
	src/command/verify/reflectors.c src/command/verify/reflectors.h \
	src/command/verify/eigen.c src/command/verify/factor.c src/command/verify/general.c \
	src/command/verify/kind.h src/command/verify/orthogonal.c src/command/verify/singular.c \
	src/command/verify/standard.c src/command/verify/tridiagonal.c
verify_parallel_sources = src/command/verify/parallel.c src/command/verify/parallel.h \
	src/command/verify/parallel_calls.c src/command/verify/parallel_calls.h \
	src/command/verify/parallel_content.c src/command/verify/parallel_content.h \
	src/command/verify/parallel_eigen_error.c \
	src/command/verify/parallel_error.c src/command/verify/parallel_error.h \
	src/command/verify/parallel_library.c src/command/verify/parallel_library.h \
	src/command/verify/parallel_problem.c src/command/verify/parallel_problem.h
mublas_SOURCES += src/command/verify/verify.c src/command/verify/judge.c src/command/verify/judge.h src/command/verify/blas_calls.c \
	src/command/verify/blas_calls.h \
	$(verify_blas_sources) $(verify_lapack_sources) $(verify_parallel_sources)
