// What names and ids may look like in messages: nothing that leads a path, a key or a filter astray. The relay leaves out what does not, for
// one such name would make the whole message unreadable.

/** Of namespaces, objects and resources. */
export const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Of a cluster that is looked after in some namespaces only: a heartbeat tells of two watches in each. */
export const MOST_NAMESPACES = 500;

/** Of clusters, as relays and functions are told it. */
export const CLUSTER_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** uids of objects, ids of sessions. */
export const UID = /^[\w.:-]{1,128}$/;

/** Of a message of commands, and of the secret that its answers are sealed with: made by us. */
export const COMMAND_ID = /^[\w-]{16,64}$/;
