// The pages: each turns an answer of the API into elements.
import { clock, element, facts, moment, span, table, tag } from './elements.js';

// As in paths of the API: a dash stands for no namespace.
const linkTo = ({ cluster, kind, namespace, name }) =>
  `#/workloads/${[cluster, kind, namespace || '-', name].map(encodeURIComponent).join('/')}`;
const titleOf = ({ kind, namespace, name }) => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;

/** Clusters with their watches, workloads with their states. */
export function overview({ clusters, workloads: { items, more } }) {
  const figures = [...new Set(items.flatMap((workload) => listed(workload).map(({ name }) => name)))];
  return [
    element('h1', {}, 'Clusters'),
    table(
      'Clusters',
      [
        { title: 'Cluster' },
        { title: 'State' },
        { title: 'Heard' },
        { title: 'Age of watches' },
        { title: 'Manages' },
        { title: 'Namespaces' },
        { title: 'Era', number: true },
      ],
      clusters.map(({ name, states, relay, manages, namespaces, era }) => [
        name,
        element('span', {}, ...states.flatMap(clusterState)),
        moment(relay?.heardTime),
        relay?.watches.map(({ resource, ageSeconds }) => `${resource} ${span(ageSeconds)}`).join(', '),
        manages.join(', '),
        namespaces.length === 0 ? 'all' : namespaces.join(', '),
        era,
      ]),
      'No cluster is registered.',
    ),
    element('h1', {}, 'Workloads'),
    table(
      'Workloads',
      [
        { title: 'Workload' },
        { title: 'State' },
        ...figures.map((name) => ({ title: titled(name), number: true })),
        { title: 'Age' },
        { title: 'Next look' },
      ],
      items.map((workload) => [
        element('span', {}, element('a', { href: linkTo(workload) }, titleOf(workload)), clusters.length > 1 && ` on ${workload.cluster}`),
        standing(workload),
        ...figures.map((name) => figureText(listed(workload), name)),
        moment(workload.creationTime),
        workload.queued ? 'queued' : moment(workload.nextWake?.dueTime),
      ]),
      noWorkloadText(clusters),
    ),
    more && element('p', { class: 'soft' }, 'There may be more: farloop get workloads shows all.'),
  ];
}

/** The kind's figures for a list. */
const listed = ({ figures }) => figures.filter(({ isMinor }) => !isMinor);

const titled = (name) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** Empty for a kind without this figure. */
function figureText(figures, named) {
  const figure = figures.find(({ name }) => name === named);
  return figure?.of === undefined ? figure?.value : `${figure.value} / ${figure.of}`;
}

/** The state's word, and why it waits or ended. */
const countText = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;

const standing = ({ state, reason }) =>
  element('span', {}, tag(state), reason !== undefined && state !== 'Parked' && element('span', { class: 'soft' }, ` ${reason}`));

/** The evidence of a reason that its text does not contain. */
function evidenceText({ text, pods = [], exitCode, podReason, rule, index }) {
  const parts = [
    index !== undefined && !text.includes(`index ${index} `) && `${/^\d+$/.test(index) ? 'index' : 'indexes'} ${index}`,
    pods.length > 0 && !text.includes(pods.join(', ')) && `pod${pods.length > 1 ? 's' : ''} ${pods.join(', ')}`,
    exitCode !== undefined && !text.includes(`exit code ${exitCode}`) && `exit code ${exitCode}`,
    podReason !== undefined && !text.includes(podReason) && podReason,
    rule !== undefined && !text.includes(`index ${rule}`) && `rule ${rule}`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const podReasonText = ({ reason, message, container }) =>
  `${reason}${container === undefined ? '' : ` (container ${container})`}${message === undefined ? '' : `: ${message}`}`;

/** The state's word. For a cluster with a problem also the time and the reason. */
function clusterState({ state, sinceTime, reason }) {
  if (state === 'Watching') return [tag(state)];
  return [tag(state), sinceTime === undefined ? '' : ', ', moment(sinceTime) ?? '', `: ${reason} `];
}

/** Shown if no cluster has a workload: a command that creates one for Farloop. */
function noWorkloadText(clusters) {
  const [first] = clusters;
  return first === undefined || clusters.some(({ takesOnly }) => takesOnly === undefined)
    ? 'No workload yet. Try: kubectl apply -f examples/job.yaml'
    : `No workload yet. ${first.takesOnly}. Try: kubectl apply -f examples/managed-by.yaml`;
}

/** One workload: its state, its pods, its passes' decisions and their reasons. */
export function workloadPage({ items, passes, problem }) {
  const [current] = items;
  // Passes are found by name, so some may belong to a former uid.
  const latest = passes.find(({ key }) => key.uid === current.uid);
  return [
    element('h1', {}, titleOf(current)),
    element('p', {}, standing(current), ` on ${current.cluster} `, element('span', { class: 'soft' }, `uid ${current.uid}`)),
    current.reason && current.state === 'Parked' && element('p', { class: 'notice' }, `Parked: ${current.reason}`),
    facts([
      ...current.figures.map(({ name, value, of }) => [titled(name), of === undefined ? value : `${value} of ${of}`]),
      ['Created', moment(current.creationTime)],
      ['Started', moment(current.startTime)],
      ['Completed', moment(current.completionTime)],
      ['Next look', current.queued ? 'queued' : (moment(current.nextWake?.dueTime) ?? 'when something happens')],
    ]),
    ...current.reasons.map((reason) =>
      element('p', {}, element('strong', {}, `${reason.code}: `), reason.text, element('span', { class: 'soft' }, evidenceText(reason))),
    ),
    latest && latest.why.length > 0 && element('p', {}, element('strong', {}, 'Latest: '), latest.why.join('; ')),
    element('h2', {}, 'Passes'),
    ...(problem ? trouble(`Passes cannot be shown: ${problem}`) : []),
    passes.length === 0
      ? !problem && element('p', { class: 'soft' }, 'No pass is recorded.')
      : element('ol', { class: 'timeline' }, ...passes.map((pass) => passItem(pass, current.uid))),
    element('h2', {}, 'Conditions'),
    table(
      'Conditions',
      [{ title: 'Type' }, { title: 'Status' }, { title: 'Reason' }, { title: 'Message' }, { title: 'Since' }],
      current.conditions.map(({ type, status, reason, message, lastTransitionTime }) => [
        type,
        status,
        reason,
        message,
        moment(lastTransitionTime),
      ]),
      'None.',
    ),
    ...(current.hasPods ? podsOf(current) : []),
  ];
}

function podsOf({ pods, podsLeftOut }) {
  return [
    element('h2', {}, 'Pods'),
    table(
      'Pods',
      [
        { title: 'Pod' },
        { title: 'Index', number: true },
        { title: 'Phase' },
        { title: 'Ready' },
        { title: 'Containers' },
        { title: 'Why' },
        { title: 'Counted' },
        { title: 'Age' },
      ],
      pods.map(({ name, index, phase, ready, containers = [], reasons = [], tracked, terminating, creationTime }) => [
        name,
        index,
        terminating ? `${phase}, terminating` : tag(phase),
        ready,
        containers.flatMap((each) => containerText(each) ?? []).join('; ') || undefined,
        reasons.map(podReasonText).join('; ') || undefined,
        tracked ? 'not yet' : 'yes',
        moment(creationTime),
      ]),
      'None.',
    ),
    podsLeftOut > 0 && element('p', { class: 'soft' }, `and ${podsLeftOut} more`),
  ];
}

/** Nothing of a container that runs and never ended. */
function containerText({ name, role, restarts, exitCode, lastExitCode, reason }) {
  const code = exitCode ?? lastExitCode;
  if (code === undefined && restarts === 0) return undefined;
  const ended =
    code === undefined ? [] : [`${exitCode === undefined ? 'last ' : ''}exit code ${code}${reason === undefined ? '' : ` (${reason})`}`];
  const again = restarts === 0 ? [] : [countText(restarts, 'restart')];
  return `${role === 'container' ? '' : `${role} `}${name}: ${[...ended, ...again].join(', ')}`;
}

function passItem({ key, startTime, durationMs, outcome, why, actions, saw, nextWakeTime, error }, uid) {
  return element(
    'li',
    {},
    element(
      'p',
      {},
      clock(startTime),
      ' ',
      tag(outcome),
      ' ',
      element(
        'span',
        { class: 'soft' },
        `${durationMs} ms${saw.pods === undefined ? '' : `, ${countText(saw.pods, 'pod')} seen`}${key.uid === uid ? '' : `, uid ${key.uid}`}`,
      ),
    ),
    ...why.map((reason) => element('p', {}, reason)),
    error !== undefined && element('p', { class: 'tag bad' }, error),
    actions.length > 0 &&
      element(
        'ul',
        {},
        ...actions.map(({ verb, target, why: reason, result, detail, count }) =>
          element(
            'li',
            {},
            `${verb === target ? 'write' : verb} ${target}${count > 1 ? ` and ${count - 1} more` : ''}`,
            element('span', { class: 'soft' }, ` ${reason}`),
            result !== 'done' && element('span', { class: 'tag bad' }, ` ${result}${detail ? `: ${detail}` : ''}`),
          ),
        ),
      ),
    nextWakeTime !== undefined && element('p', { class: 'soft' }, 'looks again at ', clock(nextWakeTime)),
  );
}

/** Each queue once. @param {{ queue: string, reason: string }[]} failed */
export const failuresText = (failed) =>
  [...new Map(failed.map(({ queue, reason }) => [queue, `${queue} (${reason})`])).values()].join(', ');

/** Work for a person: parked workloads, unreadable messages. @param {(ids: string[] | undefined) => void} redrive */
export function deadLetters({ letters, queues, workloads: { items, more }, failed, notice }, redrive) {
  const parked = items.filter(({ state }) => state === 'Parked');
  return [
    ...(notice ? trouble(notice) : []),
    ...(failed.length > 0 ? trouble(`Not all queues are shown: ${failuresText(failed)}`) : []),
    element('h1', {}, 'Parked workloads'),
    table(
      'Parked workloads',
      [{ title: 'Workload' }, { title: 'Why' }, { title: 'Looked at again' }],
      parked.map((workload) => [
        element('span', {}, element('a', { href: linkTo(workload) }, titleOf(workload)), ` on ${workload.cluster}`),
        workload.reason,
        workload.queued ? 'now' : moment(workload.nextWake?.dueTime),
      ]),
      more ? 'None of those.' : 'None. A parked workload is looked at again by itself, and at once when its spec changes.',
    ),
    more && element('p', { class: 'soft' }, `Only the first ${items.length} workloads were looked at: farloop get workloads shows all.`),
    element('h1', {}, 'Queues'),
    table(
      'Queues',
      [
        { title: 'Queue' },
        { title: 'Visible', number: true },
        { title: 'In flight', number: true },
        { title: 'Delayed', number: true },
        { title: 'Dead', number: true },
      ],
      queues.map(({ name, visible, inFlight, delayed, dead }) => [name, visible, inFlight, delayed, dead]),
      'None.',
    ),
    element('h1', {}, 'Dead letters'),
    letters.length > 0 && element('p', {}, element('button', { type: 'button', click: () => redrive(undefined) }, 'Redrive all')),
    table(
      'Dead letters',
      [
        { title: 'Queue' },
        { title: 'Sent' },
        { title: 'Bytes', number: true },
        { title: 'What is wrong' },
        { title: 'Message' },
        { title: '' },
      ],
      letters.map(({ queue, messageId, sentTime, bytes, problem, body }) => [
        queue,
        moment(sentTime),
        bytes,
        problem,
        element('pre', {}, body),
        element('button', { type: 'button', click: () => redrive([messageId]), 'aria-label': `Redrive ${messageId}` }, 'Redrive'),
      ]),
      failed.length > 0 ? 'None in the queues that are shown.' : 'None: every message could be read.',
    ),
  ];
}

const dollarsText = (dollars) => `$ ${dollars.toFixed(dollars < 0.1 ? 6 : 2)}`;
const amountText = (amount) => (Number.isInteger(amount) ? amount : amount.toFixed(3));

/** The counts at list prices. */
export function costPage({ asOf, region, counted, since, dollars, parts, clusters }) {
  const list = `List prices of ${region}, ${asOf}; no free tier, no discount`;
  if (!counted)
    return [
      element('h1', {}, 'Cost'),
      element(
        'p',
        {},
        'On AWS each function counts for itself: the dashboard of the stage sums it up in CloudWatch, under "Estimated cost", and by cluster.',
      ),
      element('p', { class: 'soft' }, list),
    ];
  return [
    element('h1', {}, 'Cost'),
    element(
      'p',
      {},
      'What this instance did would have cost ',
      element('strong', {}, dollarsText(dollars)),
      ' on AWS since it began, ',
      moment(since),
      '.',
    ),
    element('p', { class: 'soft' }, `${list}. Without logs, metrics and storage.`),
    table(
      'Cost by part',
      [{ title: 'Counted' }, { title: 'Amount', number: true }, { title: '$ a million', number: true }, { title: '$', number: true }],
      parts.map(({ part, amount, unitDollars, dollars: sum }) => [
        part,
        amountText(amount),
        (unitDollars * 1e6).toFixed(3),
        sum.toFixed(6),
      ]),
      'Nothing yet.',
    ),
    element('h2', {}, 'By cluster'),
    table(
      'Cost by cluster',
      [{ title: 'Cluster' }, { title: 'Passes', number: true }, { title: 'Writes', number: true }, { title: '$', number: true }],
      clusters.map(({ name, passes, writes, dollars: share }) => [name, passes, writes, share.toFixed(6)]),
      'No cluster is registered.',
    ),
  ];
}

/** Shown when the API refuses or does not answer. */
export const trouble = (message) => [element('p', { class: 'notice', role: 'alert' }, message)];
