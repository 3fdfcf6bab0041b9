# MUBLAS_CUDA: find nvcc and work out which code to embed.
#
# --with-cuda=DIR      toolkit to use; --without-cuda uses none
# --with-cuda-arch=LIST  compute capabilities without the point, e.g. "80 90"
# Sets NVCC, NVCC_ARCHITECTURES, cuda_list (of --with-cuda-arch) and the conditional HAVE_NVCC; cuda_summary and,
# where kernels are left out, cuda_missing say why.
AC_DEFUN([MUBLAS_CUDA], [
AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda=DIR], [CUDA toolkit whose nvcc compiles the kernels (default: PATH, then /usr/local/cuda)])],
    [], [with_cuda=search])
AC_ARG_WITH([cuda-arch],
    [AS_HELP_STRING([--with-cuda-arch=LIST], [compute capabilities to compile for; PTX of the newest serves later chips (default: "80 90")])],
    [], [with_cuda_arch="80 90"])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])

cuda_missing=
AS_CASE([$with_cuda],
    [no], [NVCC=; cuda_missing="switched off by --without-cuda"],
    [yes | search], [
        AC_PATH_PROG([NVCC], [nvcc], [], [$PATH:/usr/local/cuda/bin])
        AS_IF([test -z "$NVCC"], [
            AS_IF([test "$with_cuda" = yes],
                [AC_MSG_ERROR([--with-cuda: no nvcc in PATH or /usr/local/cuda/bin; name the toolkit: --with-cuda=DIR])])
            cuda_missing="no nvcc found (--with-cuda=DIR names a toolkit)"])],
    [
        NVCC=$with_cuda/bin/nvcc
        AS_IF([test ! -x "$NVCC"], [AC_MSG_ERROR([--with-cuda=$with_cuda: there is no bin/nvcc in this directory])])])

cuda_list=`AS_ECHO(["$with_cuda_arch"]) | tr ',;' '  '`
cuda_newest=0
NVCC_ARCHITECTURES=
for architecture in $cuda_list; do
    AS_CASE([$architecture],
        [*[[!0-9]]*], [AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch: '$architecture' is not a compute capability such as 80 or 90])])
    NVCC_ARCHITECTURES="$NVCC_ARCHITECTURES -gencode arch=compute_$architecture,code=sm_$architecture"
    AS_IF([test "$architecture" -gt "$cuda_newest"], [cuda_newest=$architecture])
done
AS_IF([test "$cuda_newest" = 0], [AC_MSG_ERROR([--with-cuda-arch: the list is empty])])
NVCC_ARCHITECTURES="$NVCC_ARCHITECTURES -gencode arch=compute_$cuda_newest,code=compute_$cuda_newest"
AC_SUBST([NVCC_ARCHITECTURES])
AC_SUBST([cuda_list])

AS_IF([test -n "$NVCC"], [
    AC_MSG_CHECKING([whether $NVCC compiles for $cuda_list])
    rm -rf conftest.cuda && mkdir conftest.cuda
    AS_ECHO(['extern "C" __global__ void probe(int *p) { *p = 1; }']) > conftest.cuda/probe.cu
    AS_IF([$NVCC $NVCCFLAGS -fatbin $NVCC_ARCHITECTURES -o conftest.cuda/probe.fatbin conftest.cuda/probe.cu \
            > conftest.cuda/log 2>&1 && test -s conftest.cuda/probe.fatbin], [
        AC_MSG_RESULT([yes])
    ], [
        AC_MSG_RESULT([no])
        cat conftest.cuda/log >&AS_MESSAGE_LOG_FD
        cuda_reason=`sed '/^$/d' conftest.cuda/log | head -1`
        AS_IF([test "$with_cuda" != search || test "$with_cuda_arch" != "80 90"],
            [rm -rf conftest.cuda
             AC_MSG_ERROR([--with-cuda/--with-cuda-arch: $NVCC cannot compile for '$cuda_list': $cuda_reason])])
        cuda_missing="$NVCC does not work here: $cuda_reason"
        NVCC=
    ])
    rm -rf conftest.cuda
])
AM_CONDITIONAL([HAVE_NVCC], [test -n "$NVCC"])
])
