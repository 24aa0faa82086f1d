// Times as Kubernetes writes and takes them: RFC 3339, to the second at least, and with a zone.

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(\d\d):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Without a zone the same text would be another time on every machine: that is none. */
export function isTime(text: string): boolean {
  const [, date, hour] = RFC_3339.exec(text) ?? [];
  return date !== undefined && hour !== '24' && !Number.isNaN(Date.parse(text)) && isDate(date);
}

/** February has no 30th day, whatever `Date` makes of it. */
const isDate = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
