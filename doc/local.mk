# Beside README.md as in the sources: it names them by these paths.
dist_doc_DATA = README.md NEWS.md COPYING
pagesdir = $(docdir)/doc
dist_pages_DATA = doc/architecture.md doc/coherence.md doc/devices.md doc/eigensolver.md doc/gains.md doc/singular.md \
	doc/install.md doc/kernels.md doc/lapack.md doc/limits.md doc/measured.md doc/report.md doc/report.png \
	doc/parallel.md doc/service.md doc/tests.md doc/tuner.md doc/use.md
