// The meaning of a query of CloudWatch Logs Insights, as far as Farloop asks: filter, parse, stats, sort and limit over lines of logs. Anything
// else is refused as the service refuses it. Fields of JSON are found as the service finds them: the first 200 of a line.

export interface LogLine {
  log: string;
  timestamp: number;
  message: string;
}

export class MalformedQueryError extends Error {}

type Event = Map<string, string>;

const MOST_FIELDS = 200;

/** @returns rows of names and values; a value that is not there has no name either */
export function answerOf(query: string, lines: readonly LogLine[]): { rows: Record<string, string>[]; matched: number } {
  let events: Event[] = lines.map(eventOf);
  let matched = events.length;
  for (const command of query.split('\n| ')) {
    const [verb = '', rest = ''] = /^(\w+) ([^]*)$/.exec(command)?.slice(1) ?? [];
    if (verb === 'filter') {
      const holds = rest.split(' or ').map(conditionOf);
      events = events.filter((event) => holds.some((condition) => condition(event)));
      matched = events.length;
    } else if (verb === 'parse') for (const event of events) parse(rest, event);
    else if (verb === 'stats') events = stats(rest, events);
    else if (verb === 'sort') events = sorted(rest, events);
    else if (verb === 'limit') events = events.slice(0, Number(rest));
    else throw new MalformedQueryError(`unexpected symbol found ${command}`);
  }
  return { rows: events.map((event) => Object.fromEntries(event)), matched };
}

function eventOf({ log, message }: LogLine): Event {
  const event: Event = new Map([
    ['@message', message],
    ['@log', `123456789012:${log}`],
  ]);
  const report = /^REPORT RequestId: \S+\tDuration: ([\d.]+) ms\tBilled Duration: (\d+) ms\t/.exec(message);
  if (report) {
    event.set('@type', 'REPORT');
    event.set('@duration', report[1] ?? '');
    event.set('@billedDuration', report[2] ?? '');
  }
  const at = message.indexOf('{');
  if (!report && at >= 0) flatten(JSON.parse(message.slice(at)) as object, '', event, MOST_FIELDS + event.size);
  return event;
}

function flatten(value: object | string | number | boolean | null, path: string, event: Event, most: number): void {
  if (event.size >= most) return;
  if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value) as [string, Parameters<typeof flatten>[0]][])
      flatten(part, path === '' ? name : `${path}.${name}`, event, most);
  else if (value !== null) event.set(path, String(value));
}

const FIELD = String.raw`@?[A-Za-z_][\w.]*`;

function conditionOf(text: string): (event: Event) => boolean {
  const [, equal, wanted] = new RegExp(`^(${FIELD}) = "([^"]*)"$`).exec(text) ?? [];
  if (equal !== undefined) return (event) => event.get(equal) === wanted;
  const [, like, pattern] = new RegExp(`^(${FIELD}) like /(.*)/$`).exec(text) ?? [];
  if (like === undefined || pattern === undefined) throw new MalformedQueryError(`a condition that is not understood: ${text}`);
  const expression = new RegExp(pattern);
  return (event) => expression.test(event.get(like) ?? '');
}

function parse(text: string, event: Event): void {
  const [, field, pattern] = new RegExp(`^(${FIELD}) /(.*)/$`).exec(text) ?? [];
  if (field === undefined || pattern === undefined) throw new MalformedQueryError(`parse that is not understood: ${text}`);
  const expression = new RegExp(pattern);
  for (const [, name = ''] of pattern.matchAll(/\(\?<(\w+)>/g))
    if (event.has(name)) throw new MalformedQueryError(`the field ${name} is there already`);
  for (const [name, value] of Object.entries(expression.exec(event.get(field) ?? '')?.groups ?? {}))
    if (value !== '') event.set(name, value);
}

function stats(text: string, events: readonly Event[]): Event[] {
  const [, sums = '', by = ''] = /^(.*) by (.*)$/.exec(text) ?? [];
  const fields = by.split(', ');
  const wanted = sums.split(', ').map((sum) => {
    const [, verb, field = '', name = ''] = new RegExp(String.raw`^(count|sum)\((${FIELD})\) as (\w+)$`).exec(sum) ?? [];
    if (verb === undefined) throw new MalformedQueryError(`stats that are not understood: ${sum}`);
    return { verb, field, name };
  });
  const groups = new Map<string, Event[]>();
  for (const event of events) {
    const key = JSON.stringify(fields.map((field) => event.get(field)));
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return [...groups.values()].map((group) => {
    const row: Event = new Map(
      fields.flatMap((field): [string, string][] => {
        const value = group[0]?.get(field);
        return value === undefined ? [] : [[field, value]];
      }),
    );
    for (const { verb, field, name } of wanted) {
      const values = group.flatMap((event) => event.get(field) ?? []);
      if (verb === 'count') row.set(name, String(values.length));
      else if (values.length > 0) row.set(name, String(values.reduce((sum, value) => sum + Number(value), 0)));
    }
    return row;
  });
}

function sorted(text: string, events: readonly Event[]): Event[] {
  const orders = text.split(', ').map((order) => {
    const [, field = ''] = new RegExp(`^(${FIELD}) desc$`).exec(order) ?? [];
    if (field === '') throw new MalformedQueryError(`an order that is not understood: ${order}`);
    return field;
  });
  const valueOf = (event: Event, field: string): number => Number(event.get(field) ?? Number.NEGATIVE_INFINITY);
  return events.toSorted((one, other) => {
    for (const field of orders) {
      const [mine, its] = [valueOf(one, field), valueOf(other, field)];
      if (mine !== its) return its - mine;
    }
    return 0;
  });
}
