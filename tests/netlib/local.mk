TESTS += tests/netlib/check_blas.sh tests/netlib/check_lapack.sh
EXTRA_DIST += tests/netlib/check_blas.sh tests/netlib/check_lapack.sh tests/netlib/check.sh \
	tests/netlib/compare.sh tests/netlib/run_full.sh \
	tests/netlib/thin/csd.in \
	tests/netlib/thin/ed.complex.in \
	tests/netlib/thin/ed.real.in \
	tests/netlib/thin/gd.in \
	tests/netlib/thin/gg.in \
	tests/netlib/thin/mixed.in \
	tests/netlib/thin/nep.in \
	tests/netlib/thin/rfp.in \
	tests/netlib/thin/se2.in \
	tests/netlib/thin/sep.in \
	tests/netlib/thin/sg.in \
	tests/netlib/thin/svd.in \
	tests/netlib/thin/test.complex.in \
	tests/netlib/thin/test.real.in
