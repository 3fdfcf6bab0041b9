/* reduction.h - the workspace of the whole reduction and what each of its panels is given. Plain C, shared by
 * the bench program and the emulation. */
#ifndef BIDIAGONAL_REDUCTION_H
#define BIDIAGONAL_REDUCTION_H

#include "panel_arguments.h"

#include <stddef.h>

struct bidiagonal_reduction {
    int64_t m, n, lda; /* m >= n */
    int nb, blocks, ring;
    double *a, *d, *e, *tauq, *taup;
    struct grid_gate *gate;
    unsigned long long *cycles; /* or NULL */
    /* The workspace's parts. */
    int64_t ldv;
    double *vx, *yu, *column, *row, *norms, *row_products, *column_products, *sums;
};

static inline int64_t bidiagonal_rounded(int64_t number) { return (number + 31) / 32 * 32; }

static inline double *bidiagonal_take(double *workspace, size_t *used, int64_t count)
{
    double *const part = workspace ? workspace + *used : NULL;
    *used += (size_t)bidiagonal_rounded(count);
    return part;
}

/* The parts; how many numbers it takes. NULL: only that. */
static inline size_t bidiagonal_workspace(struct bidiagonal_reduction *of, double *workspace)
{
    size_t used = 0;
    of->ldv = bidiagonal_rounded(of->m);
    of->vx = bidiagonal_take(workspace, &used, of->ldv * 2 * of->nb);
    of->yu = bidiagonal_take(workspace, &used, of->n * 2 * of->nb);
    of->column = bidiagonal_take(workspace, &used, of->ldv);
    of->row = bidiagonal_take(workspace, &used, of->n);
    of->norms = bidiagonal_take(workspace, &used, of->ldv / 32);
    of->row_products = bidiagonal_take(workspace, &used, 2 * of->nb * of->blocks);
    of->column_products = bidiagonal_take(workspace, &used, (2 * of->nb + 1) * of->blocks);
    of->sums = bidiagonal_take(workspace, &used, of->ldv * of->blocks);
    return used;
}

/* NULL, or why the prototype does not do it. */
static inline const char *bidiagonal_refusal(const struct bidiagonal_reduction *of)
{
    if (of->m < of->n || of->n < 1)
        return "it takes m >= n >= 1";
    if (of->m > BIDIAGONAL_ROWS_MOST)
        return "it takes at most 8192 rows";
    if (of->nb < 2 || of->nb > BIDIAGONAL_PANEL_MOST || of->nb % 2 != 0)
        return "it takes panels of 2 to 64 columns, an even number";
    if (of->lda % 2 != 0 || of->lda < (of->m + 1) / 2 * 2)
        return "it takes an even leading dimension, with room for an even number of rows";
    if (of->blocks < 1 || of->blocks > BIDIAGONAL_BLOCKS_MOST ||
        (of->n - 1) / of->blocks >= BIDIAGONAL_OWN_MOST)
        return "it takes up to 160 blocks, and at most 512 columns for each";
    const int64_t rows = (of->m + 1) / 2 * 2;
    for (int pairs = 1; pairs <= bidiagonal_pairs(rows); pairs++) {
        const int64_t most = pairs * 1024 < rows ? pairs * 1024 : rows;
        if (of->ring < 2 * bidiagonal_group(pairs) * most || of->ring > BIDIAGONAL_RING_MOST)
            return "the ring has no room for two groups of columns, or is too large";
    }
    return NULL;
}

static inline struct bidiagonal_panel_arguments bidiagonal_panel_of(const struct bidiagonal_reduction *of,
                                                                    int64_t first)
{
    struct bidiagonal_panel_arguments arguments;
    arguments.gate = of->gate;
    arguments.a = of->a + first * (of->lda + 1);
    arguments.lda = of->lda;
    arguments.rows = of->m - first;
    arguments.columns = of->n - first;
    arguments.ldv = of->ldv;
    arguments.nb = of->nb;
    arguments.width = (int32_t)(arguments.columns < of->nb ? arguments.columns : of->nb);
    arguments.ring = of->ring;
    arguments.vx = of->vx;
    arguments.yu = of->yu;
    arguments.column = of->column;
    arguments.row = of->row;
    arguments.norms = of->norms;
    arguments.row_products = of->row_products;
    arguments.column_products = of->column_products;
    arguments.sums = of->sums;
    arguments.d = of->d + first;
    arguments.e = of->e + first;
    arguments.tauq = of->tauq + first;
    arguments.taup = of->taup + first;
    arguments.cycles = of->cycles;
    return arguments;
}

static inline struct bidiagonal_store_arguments bidiagonal_store_of(const struct bidiagonal_reduction *of,
                                                                    int64_t first)
{
    const struct bidiagonal_panel_arguments panel = bidiagonal_panel_of(of, first);
    struct bidiagonal_store_arguments arguments;
    arguments.a = of->a + first * (of->lda + 1);
    arguments.lda = of->lda;
    arguments.rows = panel.rows;
    arguments.columns = panel.columns;
    arguments.ldv = of->ldv;
    arguments.width = panel.width;
    arguments.nb = of->nb;
    arguments.vx = of->vx;
    arguments.yu = of->yu;
    arguments.d = panel.d;
    arguments.e = panel.e;
    return arguments;
}

static inline size_t bidiagonal_shared_bytes(const struct bidiagonal_reduction *of)
{
    return (size_t)of->ring * sizeof(double) + BIDIAGONAL_SHARED_BESIDE;
}

#endif
