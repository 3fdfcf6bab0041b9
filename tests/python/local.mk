# Test suites of Python modules; `make hosts` fetches them.
long_tests += tests/python/check_preload.sh tests/python/check_replacement.sh tests/python/check_wheel.sh
EXTRA_DIST += tests/python/check_preload.sh tests/python/check_replacement.sh tests/python/check_wheel.sh \
	tests/python/check.sh tests/python/compare.sh tests/python/outcomes.py tests/python/rounding \
	tests/python/long
