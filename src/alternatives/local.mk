# The alternative that makes mublas the system's libblas.so.3, on request.
pkglibexec_SCRIPTS = src/alternatives/mublas-alternatives
src/alternatives/mublas-alternatives: src/alternatives/mublas-alternatives.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/alternatives && \
	sed -e 's|@''MULTIARCH@|$(MULTIARCH)|g' -e 's|@''pkglibdir@|$(pkglibdir)|g' \
		$(top_srcdir)/src/alternatives/mublas-alternatives.in > $@.new && chmod +x $@.new && mv $@.new $@
CLEANFILES += src/alternatives/mublas-alternatives
EXTRA_DIST += src/alternatives/mublas-alternatives.in

no_staging = @if test -n "$(DESTDIR)"; then \
	echo "$@: not with DESTDIR; run mublas-alternatives where the package is installed" >&2; exit 1; fi

install-alternatives: src/alternatives/mublas-alternatives
	$(no_staging)
	@src/alternatives/mublas-alternatives install $(ALTERNATIVES_OPTIONS)
uninstall-alternatives: src/alternatives/mublas-alternatives
	$(no_staging)
	@src/alternatives/mublas-alternatives remove $(ALTERNATIVES_OPTIONS)
.PHONY: install-alternatives uninstall-alternatives

# The system must not be left with a link to a library that is gone.
uninstall-local: src/alternatives/mublas-alternatives
	@if test -z "$(DESTDIR)" && test -f "$(pkglibdir)/previous/selection"; then \
		src/alternatives/mublas-alternatives remove $(ALTERNATIVES_OPTIONS); fi
	@if test -z "$(DESTDIR)" && test -f "$(pkglibdir)/previous64/selection"; then \
		src/alternatives/mublas-alternatives remove --ilp64 $(ALTERNATIVES_OPTIONS); fi
# Folders of ours alone; one that has more in it stays.
uninstall-hook:
	-@rmdir "$(DESTDIR)$(docdir)/examples" "$(DESTDIR)$(docdir)" "$(DESTDIR)$(pkglibexecdir)" \
		"$(DESTDIR)$(pkgdatadir)" "$(DESTDIR)$(pkglibdir)/lapack" "$(DESTDIR)$(pkglibdir)" 2> /dev/null
