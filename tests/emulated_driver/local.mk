# The emulated libcuda.so.1 and libcublas must end up in tests/emulated_driver/lib
# of the build tree before tests run; hang them on check_DATA.
