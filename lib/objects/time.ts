// Times as Kubernetes writes and takes them: RFC 3339, to the second at least, and with a zone.

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Without a zone the same text would be another time on every machine: that is none. */
export const isTime = (text: string): boolean => RFC_3339.test(text) && !Number.isNaN(Date.parse(text));
