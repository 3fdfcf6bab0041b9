# Test suites of Python modules; `make hosts` fetches them.
plain_tests += tests/python/own_wheel.sh
tests/python/own_wheel.log: packaging/wheel_command libmublas_shim.la tests/system/counted$(EXEEXT)
long_tests += tests/python/check_preload.sh tests/python/check_replacement.sh tests/python/check_wheel.sh
EXTRA_DIST += tests/python/check_preload.sh tests/python/check_replacement.sh tests/python/check_wheel.sh \
	tests/python/own_wheel.sh tests/python/check.sh tests/python/compare.sh tests/python/outcomes.py tests/python/rounding \
	tests/python/long
