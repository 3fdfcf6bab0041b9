# The emulated device: lib/libcuda.so.1, lib/libcublas.so.13 and lib/libcusolver.so.12 in the build tree, for
# tests and the demo (`make emulated-driver`); never installed. Plain rules, not
# libtool: the names and sonames must be those of the real libraries.
emulated_folder = tests/emulated_driver
emulated_c_files = allocations calls collectives context control copy device dma event fiber fill foreign graph grid kinds lasting library_memory module options peers physical pinned processor program queue ranges \
	segments slots spoil stream stream_value test_kernels time_model turns user_object virtual_memory
emulated_objects = $(emulated_c_files:%=$(emulated_folder)/objects/%.o) $(emulated_folder)/objects/switch.o \
	$(kernel_files:src/gpu/kernels/%.cu=$(emulated_folder)/objects/kernel_%.o) \
	$(emulated_folder)/objects/kernel_grid_kernels.o
emulated_cublas_objects = $(emulated_folder)/objects/cublas.o $(emulated_folder)/objects/cublas_level2.o \
	$(emulated_folder)/objects/cublas_level3.o
emulated_cusolver_files = cusolver cusolver_eigen cusolver_eigen64 cusolver_factor cusolver_factor64 cusolver_geev cusolver_lapack \
	cusolver_library cusolver_poison cusolver_queue cusolver_reflectors cusolver_requests cusolver_svd cusolver_typed
emulated_cusolver_objects = $(emulated_cusolver_files:%=$(emulated_folder)/objects/%.o)
emulated_libraries = $(emulated_folder)/lib/libcuda.so.1 $(emulated_folder)/lib/libcublas.so.13 \
	$(emulated_folder)/lib/libcusolver.so.12
emulated_headers = cublas.h emulated.h fiber.h held_memory.h internal.h memory.h processor.h processor_state.h test_kernels.h threads.h time_model.h \
	cublas.def cuda_calls.h cusolver.def cusolver.h cusolver_bodies.h cusolver_eigen.h cusolver_eigen32.h cusolver_exports.h cusolver_exports32.h \
	cusolver_factor.h cusolver_reflectors.h cusolver_reflectors32.h program.def program.h test_kernels.def

EXTRA_DIST += $(emulated_folder)/README.md $(emulated_folder)/switch.S $(emulated_folder)/grid_kernels.cu \
	$(emulated_folder)/cublas.c $(emulated_folder)/cublas_level2.c $(emulated_folder)/cublas_level3.c \
	$(emulated_cusolver_files:%=$(emulated_folder)/%.c) \
	$(emulated_c_files:%=$(emulated_folder)/%.c) $(emulated_headers:%=$(emulated_folder)/%)
check_DATA += $(emulated_libraries)

.PHONY: emulated-driver
emulated-driver: $(emulated_libraries)

emulated_flags = $(DEFS) -I. $(AM_CPPFLAGS) $(CPPFLAGS) -I$(top_srcdir)/$(emulated_folder) -fPIC -MMD -MP

# All kernels run by these files, which -Og would slow down.
emulated_speed = $(if $(SANITIZERS),-O1)

# Files that are never mublas.
$(emulated_folder)/objects/cusolver_library.o: emulated_own_flags = -DEMULATED_REFERENCE_BLAS='"$(HOST_BLAS)"' \
	-DEMULATED_REFERENCE_LAPACK='"$(HOST_LAPACK_DIRECTORY)/liblapack.so.3"'

# ThreadSanitizer sees blocks that run at once, which only tests of the tuned kernels ask for (kernel_blocks.sh).
$(route_kernel_files:src/gpu/kernels/%.cu=$(emulated_folder)/objects/kernel_%.o): emulated_own_flags = \
	$(if $(filter thread,$(SANITIZERS)),-fno-sanitize=all -O0)

# See the head of processor.c. Under the other sanitizers these three would take a quarter of the time of all
# that runs here; kernels are what they are to look at.
$(emulated_folder)/objects/collectives.o $(emulated_folder)/objects/processor.o $(emulated_folder)/objects/slots.o: emulated_own_flags = -fno-sanitize=all

$(emulated_folder)/objects/%.o: $(top_srcdir)/$(emulated_folder)/%.c
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(CC) $(emulated_flags) -include $(top_srcdir)/$(emulated_folder)/held_memory.h $(AM_CFLAGS) $(CFLAGS) $(emulated_speed) $(emulated_own_flags) -c -o $@ $<

$(emulated_folder)/objects/%.o: $(top_srcdir)/$(emulated_folder)/%.S
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(CC) $(emulated_flags) -c -o $@ $<

# The real kernels, for the processor; fma instructions give the bits of libm's fma(), sooner.
emulated_kernel_flags = $(if $(filter x86_64,$(host_cpu)),$(shell $(GREP) -qsw fma /proc/cpuinfo && echo -mfma))
AM_V_KERNEL = $(am__v_KERNEL_$(V))
am__v_KERNEL_ = $(am__v_KERNEL_$(AM_DEFAULT_VERBOSITY))
am__v_KERNEL_0 = @echo "  KERNEL  " $@;
am__v_KERNEL_1 =

emulated_kernel_compile = $(AM_V_KERNEL)$(CXX) $(emulated_flags) -DMUBLAS_EMULATED -fno-exceptions -fno-rtti \
	$(AM_CXXFLAGS) $(CXXFLAGS) $(emulated_kernel_flags) $(emulated_own_flags) -x c++ -c -o $@ $<

$(emulated_folder)/objects/kernel_%.o: $(top_srcdir)/src/gpu/kernels/%.cu
	@$(MKDIR_P) $(@D)
	$(emulated_kernel_compile)

$(emulated_folder)/objects/kernel_%.o: $(top_srcdir)/$(emulated_folder)/%.cu
	@$(MKDIR_P) $(@D)
	$(emulated_kernel_compile)

$(emulated_folder)/lib/libcuda.so.1: $(emulated_objects)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(CC) -shared -pthread $(AM_LDFLAGS) $(LDFLAGS) -Wl,-soname,libcuda.so.1 -Wl,-z,defs,-z,nodelete \
		-o $@ $(emulated_objects) -lm -ldl

$(emulated_folder)/lib/libcublas.so.13: $(emulated_cublas_objects) $(emulated_folder)/lib/libcuda.so.1
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(CC) -shared -pthread $(AM_LDFLAGS) $(LDFLAGS) -Wl,-soname,libcublas.so.13 -Wl,-z,defs,-z,nodelete \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(emulated_cublas_objects) $(emulated_folder)/lib/libcuda.so.1 -ldl

# It needs libcublas.so.13, as NVIDIA's does.
$(emulated_folder)/lib/libcusolver.so.12: $(emulated_cusolver_objects) $(emulated_folder)/lib/libcublas.so.13
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(CC) -shared -pthread $(AM_LDFLAGS) $(LDFLAGS) -Wl,-soname,libcusolver.so.12 -Wl,-z,defs,-z,nodelete \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(emulated_cusolver_objects) -Wl,--no-as-needed \
		$(emulated_folder)/lib/libcublas.so.13 $(emulated_folder)/lib/libcuda.so.1 -ldl

-include $(emulated_objects:.o=.d) $(emulated_cublas_objects:.o=.d) $(emulated_cusolver_objects:.o=.d)

CLEANFILES += $(emulated_libraries) $(emulated_objects) $(emulated_objects:.o=.d) \
	$(emulated_cublas_objects) $(emulated_cublas_objects:.o=.d) \
	$(emulated_cusolver_objects) $(emulated_cusolver_objects:.o=.d)
