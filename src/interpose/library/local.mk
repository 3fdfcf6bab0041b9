# libmublas.so: the same as a BLAS to link, and what a libblas.so.3 has besides.
# current:revision:age: interfaces changed; only code changed; interfaces added.
blas_sources = $(interposer_sources) \
	src/interpose/entries/forward.S src/scalapack/stubs.S src/interpose/library/library.c
library_stubs = $(AM_CCASFLAGS) -DWHOLE_LIBRARY
libmublas_la_SOURCES = $(blas_sources)
libmublas_la_CCASFLAGS = $(library_stubs)
libmublas_la_LIBADD = $(libmublas_shim_la_LIBADD)
library_flags = $(AM_LDFLAGS) $(interposer_flags)
libmublas_la_LDFLAGS = $(library_flags) -Wl,--version-script=src/interpose/library.map -version-info 0:0:0
EXTRA_libmublas_la_DEPENDENCIES = src/interpose/library.map

# The same again under the name that programs on Debian ask for: ldconfig makes links
# by this name, so an alternative for libblas.so.3 should carry no other.
pkglib_LTLIBRARIES = src/interpose/libblas.la
src_interpose_libblas_la_SOURCES = $(blas_sources)
src_interpose_libblas_la_CCASFLAGS = $(library_stubs)
src_interpose_libblas_la_LIBADD = $(libmublas_la_LIBADD)
src_interpose_libblas_la_LDFLAGS = $(library_flags) -Wl,--version-script=src/interpose/blas.map \
	-version-info 3:0:0
EXTRA_src_interpose_libblas_la_DEPENDENCIES = src/interpose/blas.map

# And as the library with 64-bit integers by plain names.
pkglib_LTLIBRARIES += src/interpose/libblas64.la
src_interpose_libblas64_la_SOURCES = $(blas_sources)
src_interpose_libblas64_la_CCASFLAGS = $(library_stubs) -DWIDE_LIBRARY
src_interpose_libblas64_la_LIBADD = $(libmublas_la_LIBADD)
src_interpose_libblas64_la_LDFLAGS = $(library_flags) -Wl,--version-script=src/interpose/blas.map \
	-version-info 3:0:0
EXTRA_src_interpose_libblas64_la_DEPENDENCIES = src/interpose/blas.map

library_map = $(CC) -E -P -x c -DWHOLE_LIBRARY -Isrc -I$(top_srcdir)/src $(top_srcdir)/src/interpose/exports.map.in
src/interpose/library.map: src/interpose/exports.map.in src/interpose/exports.map $(symbol_lists)
	$(AM_V_GEN)$(library_map) > $@.new && mv $@.new $@
src/interpose/blas.map: src/interpose/library.map
	$(AM_V_GEN)$(library_map) -DWITHOUT_LAPACK > $@.new && mv $@.new $@
CLEANFILES += src/interpose/library.map src/interpose/blas.map

# And the system's liblapack.so.3, or liblapack64.so.3: the routes, by jumps into the libraries above, so that
# a process has one state whatever it asks for; the rest by dependency on the library that it replaced. Both
# are found through links that mublas-alternatives makes: two libraries of one soname are one to the loader
# when asked for by that, so the links have names of their own. $ORIGIN would be the folder of the
# alternative's link, so the run path is absolute. It lies in a folder of its own, since without the links it
# cannot be loaded.
lapackdir = $(pkglibdir)/lapack
lapack_DATA = src/interpose/lapack/liblapack.so.3 src/interpose/lapack/liblapack64.so.3
link_empty = $(CC) -shared -nostdlib -x c /dev/null
make_passing = $(MKDIR_P) src/interpose/lapack && folder=`mktemp -d` && \
	$(link_empty) -Wl,-soname,libblas$$bits-mublas.so.3 -o $$folder/blas.so && \
	$(link_empty) -Wl,-soname,liblapack$$bits-host.so.3 -o $$folder/lapack.so && \
	$(CC) -Isrc -I$(top_srcdir)/src $(CPPFLAGS) $(CFLAGS) -DPASSED_TO="\"liblapack$$bits-host.so.3\"" -fPIC -shared \
	-nostdlib \
		-Wl,-soname,liblapack$$bits.so.3 -Wl,-z,nodelete -Wl,-z,now -Wl,--enable-new-dtags \
		-Wl,-rpath,$(pkglibdir)/previous$$bits $(top_srcdir)/src/interpose/library/lapack_passing.S \
		-Wl,--no-as-needed $$folder/blas.so $$folder/lapack.so -o $@.new && \
	rm -r $$folder && mv $@.new $@
passing_sources = src/interpose/library/lapack_passing.S src/host/assembly.inc $(symbol_lists)
src/interpose/lapack/liblapack.so.3: $(passing_sources)
	$(AM_V_GEN)bits= ; $(make_passing)
src/interpose/lapack/liblapack64.so.3: $(passing_sources)
	$(AM_V_GEN)bits=64 ; $(make_passing)
EXTRA_DIST += src/interpose/library/lapack_passing.S
CLEANFILES += $(lapack_DATA)
