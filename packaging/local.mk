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
EXTRA_DIST += packaging/modulefile.in packaging/mublas.spec packaging/debian_check.sh NEWS.md \
	packaging/spack/repo.yaml packaging/spack/packages/mublas/package.py
EXTRA_DIST += debian/changelog debian/control debian/copyright debian/rules debian/source/format \
	debian/libmublas-dev.install debian/libmublas0.install debian/libmublas0.lintian-overrides \
	debian/libmublas0.postinst debian/libmublas0.prerm \
	debian/mublas.docs debian/mublas.install debian/mublas.lintian-overrides debian/mublas.triggers \
	debian/tests/control debian/tests/linked debian/tests/preloaded debian/tests/program.c debian/tests/system-blas

# Packages for Debian, in the folder above this one; packaging/debian_check.sh shows that they are sound.
deb:
	cd $(top_srcdir) && dpkg-buildpackage -b -us -uc
.PHONY: deb
