libmublas_core_la_SOURCES += src/lapack/factor.c src/lapack/device_matrix.c src/lapack/device_matrix.h \
	src/lapack/eigen.c src/lapack/problems.h src/lapack/factor.h src/lapack/families.h \
	src/lapack/general_eigen.c src/lapack/general_eigen_normalise.inc src/lapack/lu_qr.c \
	src/lapack/product.c src/lapack/reduction.c src/lapack/route.c src/lapack/route.h \
	src/lapack/route_engine.c src/lapack/route_values.c src/lapack/several/shared_cholesky.c \
	src/lapack/several/shared_cholesky.h src/lapack/several/cholesky_part.c \
	src/lapack/several/cholesky_steps.c src/lapack/singular.c \
	src/lapack/eigensolver/back_transformation.c src/lapack/eigensolver/tridiagonalisation.c \
	src/lapack/eigensolver/tridiagonal_solver.c src/lapack/eigensolver/own_eigen.c \
	src/lapack/eigensolver/own_eigen.h src/lapack/eigensolver/two_stage_reduction.c \
	src/lapack/eigensolver/two_stage.h src/lapack/eigensolver/two_stage.c \
	src/lapack/singular/bidiagonal_solver.c src/lapack/singular/bidiagonalisation.c \
	src/lapack/singular/least_squares.c src/lapack/singular/own_singular.c \
	src/lapack/singular/own_singular.h src/lapack/singular/singular_route.h
