/* program.h - the functions of program.def, for the emulated driver and the tests that
 * stand for programs with CUDA of their own. */
#ifndef MUBLAS_EMULATED_PROGRAM_H
#define MUBLAS_EMULATED_PROGRAM_H

#include "gpu/driver.h"

typedef struct CUgraphExec_st *CUgraphExec;
enum {
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
    CUDA_ERROR_CAPTURED_EVENT = 907
};
enum { CU_STREAM_CAPTURE_MODE_GLOBAL = 0 };

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream);
/* One capture at a time. Kernels, copies and fills are recorded in the order in which they are
 * called, also of streams that join by an event. While a capture in mode GLOBAL is under way,
 * calls that CUDA calls unsafe fail on every thread that is not in mode RELAXED, and
 * spoil the capture, which cuStreamEndCapture then tells; so does waiting for a captured stream. */
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
/* Recordings do not change: a clone stands for the graph that it was made of. */
CUresult cuGraphClone(CUgraph *clone, CUgraph graph);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags);
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec executable);
CUresult cuGraphDestroy(CUgraph graph);
/* Events of one stream are a microsecond apart for every operation between them. */
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

#endif
