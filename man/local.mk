dist_man_MANS = man/mublas.1
