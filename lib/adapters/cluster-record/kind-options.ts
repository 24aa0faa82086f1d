// The options of kinds in a cluster's record, as they are stored. The build before stored one switch as a field of its own.
import * as v from 'valibot';
import { LONGEST_OPTION, OPTION_NAME, SWITCHED_ON, type KindOptions } from '../../objects/kind-options.ts';

/** Fields of earlier versions, and the options that they have become. */
const FIELD_OF_BEFORE = { workloadWithJob: 'workload-with-job' } as const;

const name = v.pipe(v.string(), v.regex(OPTION_NAME, 'expected the name of a flag without dashes, such as gang-scheduler'));

export const StoredOptions = v.object({
  workloadWithJob: v.exactOptional(v.literal(true)),
  /** Options that this build does not know stay. */
  options: v.exactOptional(v.record(name, v.pipe(v.string(), v.maxLength(LONGEST_OPTION)))),
});
type StoredOptions = v.InferOutput<typeof StoredOptions>;

export function optionsToStored<Known extends { options?: KindOptions }>({
  options,
  ...rest
}: Known): Omit<Known, 'options'> & StoredOptions {
  if (!options || Object.keys(options).length === 0) return rest;
  const { [FIELD_OF_BEFORE.workloadWithJob]: before, ...others } = options;
  return {
    ...rest,
    ...(before === SWITCHED_ON && { workloadWithJob: true }),
    ...(Object.keys(others).length > 0 && { options: others }),
  };
}

export function optionsFromStored<Stored extends StoredOptions>({
  workloadWithJob,
  options,
  ...rest
}: Stored): Omit<Stored, keyof StoredOptions> & { options?: KindOptions } {
  const known = { ...(workloadWithJob && { [FIELD_OF_BEFORE.workloadWithJob]: SWITCHED_ON }), ...options };
  return { ...rest, ...(Object.keys(known).length > 0 && { options: known }) };
}
