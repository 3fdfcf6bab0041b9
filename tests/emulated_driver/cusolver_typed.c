/* The 32-bit interface of the emulated cuSOLVER: each body once per type. */
#include "emulated_driver/cusolver_eigen.h"
#include "emulated_driver/cusolver_factor.h"
#include "emulated_driver/cusolver_reflectors.h"

static int solver_itype(const char *function, int itype)
{
    if (itype < 1 || itype > 3)
        solver_abort("%s: itype is %d", function, itype);
    return itype;
}

#define TYPE 's'
#define REAL float
#define SYMMETRIC(name) cusolverDnSsy##name
#define ORTHOGONAL(name) cusolverDnSor##name
#define PLAIN(name) cusolverDnS##name
#include "emulated_driver/cusolver_bodies.h"

#define TYPE 'd'
#define REAL double
#define SYMMETRIC(name) cusolverDnDsy##name
#define ORTHOGONAL(name) cusolverDnDor##name
#define PLAIN(name) cusolverDnD##name
#include "emulated_driver/cusolver_bodies.h"

#define TYPE 'c'
#define REAL float
#define SYMMETRIC(name) cusolverDnChe##name
#define ORTHOGONAL(name) cusolverDnCun##name
#define PLAIN(name) cusolverDnC##name
#include "emulated_driver/cusolver_bodies.h"

#define TYPE 'z'
#define REAL double
#define SYMMETRIC(name) cusolverDnZhe##name
#define ORTHOGONAL(name) cusolverDnZun##name
#define PLAIN(name) cusolverDnZ##name
#include "emulated_driver/cusolver_bodies.h"
