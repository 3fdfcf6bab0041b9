/* Stands for what nvcc makes, with the runtime linked statically. */
__attribute__((section(".nv_fatbin"), used)) static const char device_code[] = "none";
