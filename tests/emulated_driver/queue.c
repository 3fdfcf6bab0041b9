/* Queues of operation records. */
#include "emulated_driver/internal.h"

#include <stdlib.h>
#include <string.h>

struct operation *queue_append(struct queue *queue, operation_run *run, operation_drop *drop, size_t bytes)
{
    size_t record = (sizeof(struct operation) + bytes + 15) / 16 * 16;
    if (queue->tail + record > queue->capacity) {
        queue->capacity = 2 * queue->capacity + record + 4096;
        unsigned char *records = aligned_alloc(16, (queue->capacity + 15) / 16 * 16);
        if (!records)
            emulated_abort("out of host memory");
        if (queue->records)
            memcpy(records, queue->records, queue->tail);
        free(queue->records);
        queue->records = records;
    }
    struct operation *operation = (struct operation *)(queue->records + queue->tail);
    memset(operation, 0, sizeof *operation);
    operation->run = run;
    operation->drop = drop;
    operation->bytes = record;
    queue->tail += record;
    return operation;
}

struct operation *queue_take(struct queue *queue)
{
    if (queue->head == queue->tail)
        return NULL;
    struct operation *operation = (struct operation *)(queue->records + queue->head);
    queue->head += operation->bytes;
    return operation;
}

void queue_discard(struct queue *queue)
{
    for (struct operation *operation; (operation = queue_take(queue));)
        if (operation->drop)
            operation->drop(operation->payload);
    free(queue->records);
    *queue = (struct queue){0};
}
