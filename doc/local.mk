EXTRA_DIST += doc/architecture.md doc/coherence.md doc/kernels.md doc/lapack.md doc/limits.md doc/programs.md \
	doc/residency.md doc/tuner.md
