// Which names and ids may be in messages: none that could change the meaning of a path, a key or a filter. The relay leaves out objects with
// other names, because one such name would make the whole message unreadable.

/** Of namespaces, objects and resources. */
export const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Namespaces that a cluster may be registered for, if not for all. A heartbeat reports some watches in each. */
export const MOST_NAMESPACES = 500;

/** In one heartbeat: of each namespace two for Jobs alone, and some for each further kind. */
export const MOST_WATCHES = 20 * MOST_NAMESPACES;

/** Of clusters, as relays and functions know them. */
export const CLUSTER_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** uids of objects, ids of sessions. */
export const UID = /^[\w.:-]{1,128}$/;

/** Of a message of commands, and of the secret that seals its answers. We make both. */
export const COMMAND_ID = /^[\w-]{16,64}$/;
