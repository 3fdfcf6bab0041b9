if HAVE_FORTRAN
endif
