// What there is in every stage, by name: its functions, the queues of the loop, the indexes of the views.
export const FUNCTIONS = ['ingest', 'reconcile', 'timers', 'sweep', 'api'] as const;
export const QUEUES = ['events', 'wakes', 'timers'] as const;
export const INDEXES = ['pending', 'due', 'workloads'] as const;

/** As the stack names its queues. @param dead the queue of what failed at every try */
export const queueName = (stage: string, queue: (typeof QUEUES)[number], dead = false): string =>
  `${stage}-${queue}${dead ? '-dead' : ''}${queue === 'wakes' ? '.fifo' : ''}`;
