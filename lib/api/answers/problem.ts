import * as v from 'valibot';
import { text, whole } from './values.ts';

/** An answer that is an error, as in RFC 9457. */
export const Problem = v.object({
  type: v.pipe(text, v.description('`about:blank`: the status says the kind of problem.')),
  title: v.pipe(text, v.description("The status's own name.")),
  status: whole,
  detail: v.pipe(text, v.description('One sentence: what is wrong, and what to do.')),
  error: v.pipe(
    text,
    v.metadata({ written: { deprecated: true }, description: 'The same as `detail`, for clients of the version before.' }),
  ),
});
