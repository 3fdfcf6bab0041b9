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

# The system must not be left with a link to a library that is gone: the alternatives go first, and if they
# cannot, nothing does. Automake's own target has no order among what it removes, and is replaced by this one.
uninstall: src/alternatives/mublas-alternatives
	@test -n "$(DESTDIR)" || { src/alternatives/mublas-alternatives remove --where-registered $(ALTERNATIVES_OPTIONS) && \
		src/alternatives/mublas-alternatives remove --where-registered --ilp64 $(ALTERNATIVES_OPTIONS); }
	$(MAKE) $(AM_MAKEFLAGS) uninstall-am
# Folders of ours alone, and those that other packages share once they are empty; one that has more in it stays.
uninstall-hook:
	-@for folder in "$(docdir)/examples" "$(docdir)/doc" "$(docdir)" "$(pkglibexecdir)" "$(pkgdatadir)" \
		"$(pkglibdir)/lapack" "$(pkglibdir)" "$(libexecdir)" "$(pkgconfigdir)" "$(completiondir)" \
		"$(datadir)/bash-completion" "$(datadir)/doc" "$(man1dir)" "$(man3dir)"; do \
		rmdir "$(DESTDIR)$$folder" 2> /dev/null; done; true
