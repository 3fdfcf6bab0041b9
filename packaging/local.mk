# For systems that keep software in folders of its own: copied or linked to MODULEPATH/mublas/VERSION.
pkgdata_DATA = packaging/modulefile
# Folders below /usr are searched anyway: put in front they would hide other modules' programs.
modulefile_paths = `test '$(prefix)' != /usr || echo '-e /^\(prepend\|append\)-path/d -e /^.*own.pages/d'`
packaging/modulefile: packaging/modulefile.in Makefile
	$(AM_V_GEN)$(MKDIR_P) packaging && \
	sed $(modulefile_paths) -e 's|@''VERSION@|$(PACKAGE_VERSION)|g' \
		-e 's|@''bindir@|$(bindir)|' -e 's|@''libdir@|$(libdir)|' \
		-e 's|@''includedir@|$(includedir)|' -e 's|@''mandir@|$(mandir)|' \
		$(top_srcdir)/packaging/modulefile.in > $@.new && mv $@.new $@
CLEANFILES += packaging/modulefile
EXTRA_DIST += packaging/modulefile.in packaging/mublas.spec packaging/debian_check.sh packaging/clean_root.sh \
	packaging/roots.sh packaging/spack/repo.yaml packaging/spack/packages/mublas/package.py packaging/mublas.def \
	packaging/slurm_job.sh packaging/wheel packaging/python/__init__.py packaging/python/__main__.py
EXTRA_DIST += debian/changelog debian/control debian/copyright debian/rules debian/source/format \
	debian/libmublas-dev.install debian/libmublas0.install debian/libmublas0.lintian-overrides \
	debian/libmublas0.postinst debian/libmublas0.prerm \
	debian/mublas.install debian/mublas.lintian-overrides debian/mublas.triggers \
	debian/tests/control debian/tests/linked debian/tests/preloaded debian/tests/program.c debian/tests/system-blas

# Packages for Debian, in the folder above this one; packaging/debian_check.sh shows that they are sound. Their own
# build takes nvcc and architectures from this one, unless the environment names others.
deb_cuda = $(or $(patsubst %/bin/nvcc,%,$(NVCC)),no)
deb:
	cd $(top_srcdir) && MUBLAS_CUDA="$${MUBLAS_CUDA-$(deb_cuda)}" MUBLAS_CUDA_ARCH="$${MUBLAS_CUDA_ARCH-$(cuda_list)}" \
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dpkg-buildpackage -b -us -uc

# The command for a Python wheel finds the libraries that come with it in lib beside its folder.
packaging/wheel_command: $(mublas_OBJECTS) $(mublas_DEPENDENCIES)
	$(AM_V_CCLD)$(MKDIR_P) packaging && $(LINK) -Wl,-rpath,'$$ORIGIN/../lib' $(mublas_OBJECTS) $(mublas_LDADD) $(LIBS)
CLEANFILES += packaging/wheel_command
# A wheel of this build.
WHEEL_FOLDER = .
wheel: packaging/wheel_command libmublas_shim.la
	$(top_srcdir)/packaging/wheel --output=$(WHEEL_FOLDER) $(abs_top_builddir)
# All that other machines need, in the folder above the sources, with kernels where there is nvcc. The wheel is
# of the Debian packages' build: kernels are compiled once.
packages: deb
	$(MAKE) -C $(top_srcdir)/debian/build wheel WHEEL_FOLDER=$(abs_top_srcdir)/..
	@ls -l $(abs_top_srcdir)/../*mublas*_$(PACKAGE_VERSION)_*.deb $(abs_top_srcdir)/../mublas-$(PACKAGE_VERSION)-*.whl
.PHONY: deb wheel packages
