bin_PROGRAMS += mublas
verify_lapack_sources = src/command/verify_lapack.c src/command/verify_lapack.h src/command/verify_numbers.h \
	src/command/verify_arrays.c src/command/verify_arrays.h src/command/verify_dense.c src/command/verify_dense.h \
	src/command/verify_reflectors.c src/command/verify_reflectors.h \
	src/command/verify_eigen.c src/command/verify_factor.c src/command/verify_general.c \
	src/command/verify_orthogonal.c src/command/verify_orthogonal.h src/command/verify_orthogonal_error.c \
	src/command/verify_singular.c src/command/verify_standard.c
mublas_SOURCES = src/command/main.c src/command/exit_status.h src/command/info.c src/command/info.h src/command/inspect.h \
	src/command/program_file.c src/command/program_file.h \
	src/command/verify.c src/command/verify.h \
	src/command/verify_calls.c src/command/verify_calls.h \
	src/command/verify_gauge.c src/command/verify_numbers.h \
	src/command/verify_operands.c src/command/verify_operands.h \
	$(verify_lapack_sources) \
	src/command/route_orders.c src/command/route_orders.h \
	src/command/run.c src/command/run.h
shim_path = -DMUBLAS_SHIM='"$(libdir)/libmublas_shim.so"' -DMUBLAS_MULTIARCH='"$(MULTIARCH)"'
mublas_CPPFLAGS = $(AM_CPPFLAGS) $(shim_path)
mublas_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl

# Calls made and timed by a process under the shim: for the command and bench programs.
noinst_LTLIBRARIES += libmublas_calls.la
libmublas_calls_la_SOURCES = \
	src/command/lapack_call.c src/command/lapack_call.h \
	src/command/offload_report.c src/command/offload_report.h \
	src/command/preload.c src/command/preload.h \
	src/command/random_flags.c src/command/random_flags.h \
	src/command/routine_call.c src/command/routine_call.h \
	src/command/shim_child.c src/command/shim_child.h
libmublas_calls_la_CPPFLAGS = $(AM_CPPFLAGS) $(shim_path)

include src/command/tune/local.mk

# Looking into programs: the command alone links libelf, never the library.
inspect_sources = src/command/inspect.c \
	src/command/elf_object.c src/command/elf_object.h \
	src/command/elf_symbols.c src/command/elf_symbols.h \
	src/command/inspect_losses.c src/command/inspect_losses.h \
	src/command/inspect_notes.c src/command/inspect_notes.h \
	src/command/inspect_report.c src/command/inspect_report.h \
	src/command/interception.c src/command/interception.h \
	src/command/lapack_left.c src/command/lapack_left.h \
	src/command/library_search.c src/command/library_search.h \
	src/command/link_map.c src/command/link_map.h \
	src/command/loader_cache.c src/command/loader_cache.h \
	src/command/name_choice.c src/command/name_choice.h \
	src/command/name_list.c src/command/name_list.h \
	src/command/symbol_index.c src/command/symbol_index.h
if LIBELF
mublas_SOURCES += $(inspect_sources)
mublas_LDADD += $(LIBELF_LIBS)
else
mublas_SOURCES += src/command/inspect_missing.c
endif
