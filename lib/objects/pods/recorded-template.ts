// The part of a pod template that the flight recorder may keep: fields by which planners decide, and no value of a person's program.
import type { PodTemplate } from '../kubernetes.ts';
import { fieldsOf, isFields, textOf, type Fields } from '../values/untyped-fields.ts';

/** Stands for the name of an image: a planner asks only whether there is one. */
const SOME_IMAGE = 'recorded';

const SPEC_TEXTS = ['restartPolicy', 'schedulerName', 'priorityClassName', 'serviceAccountName'];
const CONTAINER_FIELDS = new Set(['name', 'image', 'ports', 'resources']);

/** Labels, names of containers, their ports and resources, and how pods are scheduled and restarted. */
export function recordedTemplateOf(template: PodTemplate): PodTemplate {
  const { metadata, spec } = template as { metadata?: unknown; spec?: unknown };
  const { labels } = fieldsOf(metadata);
  const given = fieldsOf(spec);
  const { containers } = given;
  const texts = SPEC_TEXTS.flatMap((field) => (typeof given[field] === 'string' ? [[field, given[field]]] : []));
  const recorded: unknown = {
    ...(isFields(labels) && { metadata: { labels } }),
    spec: {
      ...Object.fromEntries(texts),
      containers: (Array.isArray(containers) ? containers : []).map((container) => recordedContainerOf(fieldsOf(container))),
    },
  };
  return recorded as PodTemplate;
}

const recordedContainerOf = ({ name, image, ports, resources }: Fields): { name: string } & Fields => ({
  name: textOf(name),
  image: textOf(image) === '' ? '' : SOME_IMAGE,
  ...(Array.isArray(ports) && {
    ports: ports.map((port) => {
      const { name: portName, containerPort } = fieldsOf(port);
      return { ...(typeof portName === 'string' && { name: portName }), containerPort };
    }),
  }),
  ...(isFields(resources) && { resources }),
});

/**
 * The first field of a template, at any depth, that no recorded template may have: commands, arguments, environments, annotations, volumes.
 * @returns its path; undefined if it has no such field
 */
export function unrecordableFieldIn(value: unknown, path = ''): string | undefined {
  if (Array.isArray(value)) return firstOf(value.map((item, at) => () => unrecordableFieldIn(item, `${path}[${at}]`)));
  if (!isFields(value)) return undefined;
  return firstOf(
    Object.entries(value).map(([key, field]) => () => {
      const at = path === '' ? key : `${path}.${key}`;
      return key === 'template' ? unrecordableInTemplate(field, at) : unrecordableFieldIn(field, at);
    }),
  );
}

function unrecordableInTemplate(template: unknown, path: string): string | undefined {
  const { metadata, spec, ...others } = fieldsOf(template);
  const { labels: _labels, ...otherMetadata } = fieldsOf(metadata);
  const { containers, ...otherSpec } = fieldsOf(spec);
  const unknown = [
    ...Object.keys(others),
    ...Object.keys(otherMetadata).map((key) => `metadata.${key}`),
    ...Object.keys(otherSpec).flatMap((key) => (SPEC_TEXTS.includes(key) ? [] : [`spec.${key}`])),
    ...(Array.isArray(containers) ? containers : []).flatMap((container, at) =>
      Object.entries(fieldsOf(container)).flatMap(([key, value]) =>
        CONTAINER_FIELDS.has(key) && (key !== 'image' || value === '' || value === SOME_IMAGE) ? [] : [`spec.containers[${at}].${key}`],
      ),
    ),
  ];
  const [first] = unknown;
  return first === undefined ? undefined : `${path}.${first}`;
}

function firstOf(looks: readonly (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}
