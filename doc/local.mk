EXTRA_DIST += doc/coherence.md doc/kernel-speed.md doc/residency.md doc/tuner.md doc/programs.md doc/lapack.md
