dist_man_MANS = man/mublas.1 man/mublas.3
