"""Spack recipe of mublas: a folder of a repository, `spack repo add packaging/spack`."""

from spack.package import *


class Mublas(AutotoolsPackage):
    """BLAS and LAPACK calls of unmodified programs on an NVIDIA GPU, by a preloaded library."""

    # From a checkout: spack dev-build mublas@0.2.0
    version("0.2.0")

    variant("cuda", default=True, description="Embed the kernels; without them every call stays on the host")
    variant("cuda_arch", default="80,90", description="Compute capabilities to compile for", when="+cuda")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elf")
    # What stands behind mublas on the host, and is found through the loader at run time.
    depends_on("blas")
    depends_on("lapack")
    # The kernels by nvcc; at run time the driver, cuBLAS and cuSOLVER are opened where they are.
    depends_on("cuda@11.8:", when="+cuda", type=("build", "run"))

    conflicts("platform=darwin", msg="mublas runs on Linux")
    conflicts("platform=windows", msg="mublas runs on Linux")

    def autoreconf(self, spec, prefix):
        autoreconf("-fi")

    def configure_args(self):
        spec = self.spec
        host_blas = spec["blas"].libs[0]
        arguments = [f"--with-host-blas={host_blas}"]
        if spec.satisfies("+cuda"):
            arguments.append(f"--with-cuda={spec['cuda'].prefix}")
            arguments.append("--with-cuda-arch=" + spec.variants["cuda_arch"].value.replace(",", " "))
        else:
            arguments.append("--without-cuda")
        return arguments
