EXTRA_DIST += doc/kernel-speed.md doc/tuner.md doc/programs.md
