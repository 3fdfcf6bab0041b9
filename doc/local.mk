EXTRA_DIST += doc/kernel-speed.md
