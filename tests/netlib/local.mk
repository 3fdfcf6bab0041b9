long_plain_tests += tests/netlib/check_lapack.sh
long_plain_tests += tests/netlib/check_lapack_hosts.sh tests/netlib/check_replacement.sh \
	tests/netlib/check_hosts.sh tests/netlib/check_blas.sh tests/netlib/check_stages.sh
EXTRA_DIST += tests/netlib/check_blas.sh tests/netlib/check_stages.sh tests/netlib/check_lapack.sh tests/netlib/check.sh \
	tests/netlib/check_hosts.sh \
	tests/netlib/check_replacement.sh tests/netlib/check_lapack_hosts.sh tests/netlib/compare.sh \
	tests/netlib/run_full.sh \
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

# Host BLAS libraries and testers of both widths; `make hosts` unpacks them in hosts/.
EXTRA_DIST += tests/hosts/bound.sh tests/hosts/fetch.sh tests/hosts/hosts.sh tests/hosts/packages
plain_modules += tests/netlib/.libs/cblas_globals.so

hosts:
	$(top_srcdir)/tests/hosts/fetch.sh hosts
.PHONY: hosts
# Sources of its modules.
EXTRA_DIST += tests/netlib/cblas_globals.c
