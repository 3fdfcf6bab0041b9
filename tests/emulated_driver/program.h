/* program.h - the functions of program.def, for the emulated driver and the tests that
 * stand for programs with CUDA of their own. */
#ifndef MUBLAS_EMULATED_PROGRAM_H
#define MUBLAS_EMULATED_PROGRAM_H

#include "gpu/driver.h"

typedef struct CUgraph_st *CUgraph;
enum { CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901 };
enum { CU_STREAM_CAPTURE_MODE_GLOBAL = 0 };

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
/* Nothing is recorded: the graph stays NULL. While a capture in mode GLOBAL is under way,
 * calls that CUDA calls unsafe fail on every thread that is not in mode RELAXED, and
 * spoil the capture, which cuStreamEndCapture then tells. */
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);

#endif
