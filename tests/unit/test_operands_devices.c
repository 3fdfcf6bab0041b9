/* test_operands_random on three devices, unlike each other and without access to each other's memory. */
#define DEVICES 3
#define TEST test_operands_devices
#include "test_operands_random.c"
