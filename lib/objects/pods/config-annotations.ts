// Annotations of the kubelet on pods that no API server scheduled: a static pod, and the mirror pod that shows it.

/** Where the pod came from: `api`, or another source that makes it static. */
export const CONFIG_SOURCE = 'kubernetes.io/config.source';

/** Tells one version of a static pod from the next. */
export const CONFIG_HASH = 'kubernetes.io/config.hash';

/** Marks a mirror pod: nothing is run for it. Its value names the pod that it shows. */
export const CONFIG_MIRROR = 'kubernetes.io/config.mirror';
