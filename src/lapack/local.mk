libmublas_core_la_SOURCES += \
	src/lapack/cholesky.c \
	src/lapack/device_matrix.c src/lapack/device_matrix.h \
	src/lapack/eigen.c src/lapack/eigen.h \
	src/lapack/factor.c src/lapack/factor.h \
	src/lapack/families.h \
	src/lapack/general_eigen.c src/lapack/general_eigen.h \
	src/lapack/general_eigen_normalise.c src/lapack/general_eigen_normalise.inc \
	src/lapack/lu.c \
	src/lapack/matrix_part.c src/lapack/matrix_part.h \
	src/lapack/product.c src/lapack/product.h \
	src/lapack/qr.c \
	src/lapack/reduction.c src/lapack/reduction.h \
	src/lapack/route.c src/lapack/route.h src/lapack/route_engine.h \
	src/lapack/route_home.c src/lapack/route_mirrors.c src/lapack/route_send.c \
	src/lapack/route_lane.c src/lapack/route_lane.h \
	src/lapack/route_values.c src/lapack/route_values.h \
	src/lapack/several/block_columns.c src/lapack/several/block_columns.h \
	src/lapack/several/cholesky_part.c src/lapack/several/cholesky_part.h \
	src/lapack/several/cholesky_steps.c src/lapack/several/cholesky_steps.h \
	src/lapack/several/shared_cholesky.c src/lapack/several/shared_cholesky.h \
	src/lapack/singular.c src/lapack/singular.h \
	src/lapack/solver_eigen.c src/lapack/solver_eigen.h \
	src/lapack/standard.c \
	src/lapack/standard_form.c src/lapack/standard_form.h \
	src/lapack/triangle.c src/lapack/workspace.h \
	src/lapack/tridiagonal.c \
	src/lapack/tridiagonal_eigen.c src/lapack/tridiagonal_eigen.h \
	src/lapack/tridiagonal_parts.c src/lapack/tridiagonal_parts.h \
	src/lapack/eigensolver/back_transformation.c src/lapack/eigensolver/back_transformation.h \
	src/lapack/eigensolver/chip_plan.c src/lapack/eigensolver/chip_plan.h \
	src/lapack/eigensolver/block_reflector.c src/lapack/eigensolver/block_reflector.h \
	src/lapack/eigensolver/device_product.c src/lapack/eigensolver/device_product.h \
	src/lapack/eigensolver/divide_conquer.c src/lapack/eigensolver/divide_conquer.h \
	src/lapack/eigensolver/own_eigen.c src/lapack/eigensolver/own_eigen.h \
	src/lapack/eigensolver/plain_launch.h \
	src/lapack/eigensolver/tridiagonalisation.c src/lapack/eigensolver/tridiagonalisation.h \
	src/lapack/eigensolver/vector_range.c src/lapack/eigensolver/vector_range.h \
	src/lapack/eigensolver/two_stage/band_reduction.c src/lapack/eigensolver/two_stage/band_reduction.h \
	src/lapack/eigensolver/two_stage/bisection.c src/lapack/eigensolver/two_stage/bisection.h \
	src/lapack/eigensolver/two_stage/bulge_chasing.c src/lapack/eigensolver/two_stage/bulge_chasing.h \
	src/lapack/eigensolver/two_stage/two_stage.c src/lapack/eigensolver/two_stage/two_stage.h \
	src/lapack/eigensolver/two_stage/two_stage_borders.c \
	src/lapack/eigensolver/two_stage/two_stage_borders.h \
	src/lapack/eigensolver/two_stage/two_stage_back.c src/lapack/eigensolver/two_stage/two_stage_back.h
