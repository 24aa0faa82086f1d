// Parameters of a request for logs. The command and the console ask in the same words.
import * as v from 'valibot';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import { OBJECT_NAME } from '../../wire/words/names.ts';
import { tailOf } from '../logs/log-choice.ts';
import { cursorIn, type LogCursor } from '../logs/log-cursor.ts';
import { parameter, readParameter, Refusal, textParameter } from './parameters.ts';

export const logParameters = {
  pod: parameter('this pod alone', v.pipe(v.string(), v.regex(OBJECT_NAME, '"pod" must be the name of a pod'))),
  index: parameter(
    'pods of this completion index alone',
    v.pipe(
      v.string(),
      v.regex(/^\d{1,10}$/, '"index" must be a whole number'),
      v.transform((index) => index.replace(/^0+(?=\d)/, '')),
    ),
  ),
  replica: textParameter('pods of this replica of a training job alone, as worker-1; worker means all of that type'),
  container: parameter(
    "absent: each pod's first",
    v.pipe(
      v.string(),
      v.check((name) => problemsOfDnsLabel(name).length === 0, '"container" must be the name of a container'),
    ),
  ),
  previous: parameter(
    'of the run before the last restart',
    v.pipe(
      v.picklist(['true', 'false'], '"previous" must be true or false'),
      v.transform((word) => word === 'true'),
    ) as v.GenericSchema<string, boolean>,
    { type: 'boolean' },
  ),
  since: textParameter('a span such as 5m, or a time; lines before it are left out'),
  tail: readParameter(
    'lines from the end of each; -1: all. Absent: all of one pod, 10 of each of several',
    (text): number | 'all' | Refusal => {
      const lines = tailOf(text);
      return typeof lines === 'object' ? new Refusal(`"tail" ${lines.problem}`) : lines;
    },
    { type: 'integer', minimum: -1 },
  ),
  after: readParameter(
    'as `cursor` of an earlier answer, with the same other parameters',
    (text): LogCursor | Refusal => cursorIn(text) ?? new Refusal('"after" is not what an earlier answer gave: ask without it'),
  ),
};
