// Bodies as Go's types read them: numbers of the right size, quantities that are some, and nulls in lists and maps.
import { describe, expect, test } from '@jest/globals';
import { decode } from '../../lib/sandbox/schema/decode.ts';
import { schemaOf } from '../../lib/sandbox/schema/notation.ts';

const read = (spec: object): unknown => decode(schemaOf('Pod'), { spec }, (message) => new Error(message)).object['spec'];

const probedAt = (port: unknown) => ({ containers: [{ name: 'a', livenessProbe: { httpGet: { port } } }] });

describe('decoding', () => {
  test('a null in a list or map is the zero value of its type', () => {
    expect(
      read({
        imagePullSecrets: [null],
        nodeSelector: { zone: null },
        overhead: { cpu: null },
        securityContext: { supplementalGroups: [null] },
        containers: [{ name: 'a', args: ['x', null] }],
      }),
    ).toMatchObject({
      imagePullSecrets: [{}],
      nodeSelector: { zone: '' },
      overhead: { cpu: '0' },
      securityContext: { supplementalGroups: [0] },
      containers: [{ args: ['x', ''] }],
    });
  });

  test.each<[object, string]>([
    [
      probedAt(1.5),
      'json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
    ],
    [probedAt(2 ** 40), 'cannot unmarshal number 1099511627776'],
    [
      { activeDeadlineSeconds: 1e19 },
      'cannot unmarshal number 10000000000000000000 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64',
    ],
    [{ overhead: { cpu: '1 GB' } }, 'quantities must match the regular expression'],
    [{ overhead: { cpu: '1GB' } }, 'quantities must match the regular expression'],
    [{ overhead: { cpu: '1KK' } }, "unable to parse quantity's suffix"],
  ])('%j is refused', (spec, message) => {
    expect(() => read(spec)).toThrow(message);
  });

  test.each<[object]>([
    [probedAt(80)],
    [probedAt('http')],
    [{ activeDeadlineSeconds: 2 ** 63 }],
    [{ overhead: { cpu: '100m', memory: '1e3' } }],
  ])('%j is read as it is', (spec) => {
    expect(read(spec)).toMatchObject(spec);
  });
});
