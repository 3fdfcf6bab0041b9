libmublas_core_la_SOURCES += src/gpu/cooperative.c src/gpu/cooperative.h src/gpu/device.c src/gpu/device.h \
	src/gpu/device_wake.c src/gpu/device_sharing.c src/gpu/device_sharing.h src/gpu/device_shares.c \
	src/gpu/device_shares.h src/gpu/driver.c src/gpu/driver.def src/gpu/driver.h src/gpu/lane.c \
	src/gpu/lane.h src/gpu/launch.c src/gpu/launch.h src/gpu/launch_shape.c \
	src/gpu/vendor/cublas_handles.c src/gpu/vendor/cublas_handles.h \
	src/gpu/vendor/cublas_library.c src/gpu/vendor/solver.def src/gpu/vendor/solver_handle.c \
	src/gpu/vendor/solver_library.c src/gpu/vendor/solver_library.h src/gpu/vendor/solver_trial.c \
	src/gpu/vendor/vendor_library.c src/gpu/vendor/vendor_library.h
nodist_libmublas_core_la_SOURCES = src/gpu/kernel_set_hash.c

# The kernels. One translation unit includes every .cu file, so that they share
# one fatbin; common/embedded.S has it. List every file here: tuned_kernel_files and
# route_kernel_files are compiled, the others are what they include.
tuned_kernel_files = \
	src/gpu/kernels/axpy.cu \
	src/gpu/kernels/gemv.cu \
	src/gpu/kernels/symv.cu \
	src/gpu/kernels/trmv.cu
kernel_includes = \
	src/gpu/kernels/arguments.h \
	src/gpu/kernels/contract.h \
	src/gpu/kernels/device_ops.h \
	src/gpu/kernels/double_double.h \
	src/gpu/kernels/element.h \
	src/gpu/kernels/kernels.def \
	src/gpu/kernels/leaf_tile.h \
	src/gpu/kernels/long_sum.h \
	src/gpu/kernels/running_sum.h \
	src/gpu/kernels/scalars.h \
	src/gpu/kernels/segment.h \
	src/gpu/kernels/strip.h \
	src/gpu/kernels/super_tile.h \
	src/gpu/kernels/symmetric_strip.h \
	src/gpu/kernels/work.h
route_kernel_files = \
	src/gpu/kernels/bdsdc/bdsdc_deflate.cu \
	src/gpu/kernels/bdsdc/bdsdc_leaves.cu \
	src/gpu/kernels/bdsdc/bdsdc_merge.cu \
	src/gpu/kernels/bidiagonal/bidiagonal_forms.cu \
	src/gpu/kernels/bidiagonal/bidiagonal_panel.cu \
	src/gpu/kernels/matrix_forms.cu \
	src/gpu/kernels/part.cu \
	src/gpu/kernels/stedc/stedc_deflate.cu \
	src/gpu/kernels/stedc/stedc_leaves.cu \
	src/gpu/kernels/stedc/stedc_roots.cu \
	src/gpu/kernels/stedc/stedc_vectors.cu \
	src/gpu/kernels/tridiagonal/tridiagonal_back.cu \
	src/gpu/kernels/tridiagonal/tridiagonal_chip.cu \
	src/gpu/kernels/tridiagonal/tridiagonal_copy.cu \
	src/gpu/kernels/tridiagonal/tridiagonal_panel.cu \
	src/gpu/kernels/two_stage/band_back.cu \
	src/gpu/kernels/two_stage/band_chase.cu \
	src/gpu/kernels/two_stage/band_forms.cu \
	src/gpu/kernels/two_stage/band_panel.cu \
	src/gpu/kernels/two_stage/band_triangles.cu \
	src/gpu/kernels/two_stage/stebz.cu \
	src/gpu/kernels/vector_range.cu
route_kernel_includes = \
	src/gpu/kernels/bdsdc/bdsdc_node.h \
	src/gpu/kernels/bidiagonal/bidiagonal_arguments.h \
	src/gpu/kernels/bidiagonal/bidiagonal_columns.h \
	src/gpu/kernels/bidiagonal/bidiagonal_panel.h \
	src/gpu/kernels/bidiagonal/bidiagonal_ring.h \
	src/gpu/kernels/bidiagonal/bidiagonal_rows.h \
	src/gpu/kernels/cluster_ops.h \
	src/gpu/kernels/grid_ops.h \
	src/gpu/kernels/reflector.h \
	src/gpu/kernels/route_arguments.h \
	src/gpu/kernels/route_kernels.def \
	src/gpu/kernels/route_ops.h \
	src/gpu/kernels/stedc/merge_ops.h \
	src/gpu/kernels/stedc/stedc_arguments.h \
	src/gpu/kernels/stedc/stedc_node.h \
	src/gpu/kernels/tile_ops.h \
	src/gpu/kernels/triangle_cut.h \
	src/gpu/kernels/tridiagonal/chip_exchange.h \
	src/gpu/kernels/tridiagonal/chip_memory.h \
	src/gpu/kernels/tridiagonal/tridiagonal.h \
	src/gpu/kernels/tridiagonal/tridiagonal_arguments.h \
	src/gpu/kernels/tridiagonal/tridiagonal_panel.h \
	src/gpu/kernels/tridiagonal/tridiagonal_panel_products.h \
	src/gpu/kernels/two_stage/band_arguments.h \
	src/gpu/kernels/two_stage/band_kept.h src/gpu/kernels/two_stage/band_reflector.h \
	src/gpu/kernels/two_stage/stebz_arguments.h \
	src/gpu/kernels/warp_ops.h
kernel_files = $(tuned_kernel_files) $(route_kernel_files)
EXTRA_DIST += $(kernel_files) $(kernel_includes) $(route_kernel_includes)

# Of the sources of the tuned ones, not of what a compiler made of them: the same for every build.
src/gpu/kernel_set_hash.c: $(tuned_kernel_files) $(kernel_includes)
	$(AM_V_GEN)$(MKDIR_P) src/gpu && \
	hash=`cat $^ | sha256sum | cut -c 1-16` && \
	{ echo '#include "gpu/device.h"'; echo "const char kernel_set_hash[] = \"$$hash\";"; } > $@
CLEANFILES += src/gpu/kernel_set_hash.c

if HAVE_NVCC
kernels_image = src/gpu/kernels/kernels.fatbin
kernels_image_flags = -DMUBLAS_KERNELS_IMAGE='"$(kernels_image)"'

AM_V_NVCC = $(am__v_NVCC_$(V))
am__v_NVCC_ = $(am__v_NVCC_$(AM_DEFAULT_VERBOSITY))
am__v_NVCC_0 = @echo "  NVCC    " $@;
am__v_NVCC_1 =

src/gpu/kernels/kernels.fatbin: $(kernel_files) $(kernel_includes) $(route_kernel_includes) Makefile
	$(AM_V_NVCC)$(MKDIR_P) src/gpu/kernels && \
	for file in $(kernel_files); do echo "#include \"$$file\""; done > src/gpu/kernels/unity.cu && \
	$(NVCC) $(NVCCFLAGS) --threads 2 -std=c++17 -O3 -fmad=false -I$(top_srcdir) -I$(top_srcdir)/src \
		$(NVCC_ARCHITECTURES) -fatbin -o $@ src/gpu/kernels/unity.cu
	@for kernel in $$($(SED) -n 's/^KERNEL(\([a-z_]*\),.*/\1/p' $(top_srcdir)/src/gpu/kernels/kernels.def \
			$(top_srcdir)/src/gpu/kernels/route_kernels.def); do \
		$(GREP) -aqE "\.(text\.|entry )$$kernel" $@ || { echo "$@: no kernel $$kernel, which a list has" >&2; \
			rm -f $@; exit 1; }; \
	done
CLEANFILES += $(kernels_image) src/gpu/kernels/unity.cu
endif
AM_CCASFLAGS = $(kernels_image_flags) -DMUBLAS_RECIPES='"src/tuner/built_in_recipes"'
