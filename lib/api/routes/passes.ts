// Routes about recorded passes.
import { RecordedPass } from '../answers/passes.ts';
import { toldPass } from '../passes.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { route } from './route.ts';

export const passRoutes = [
  route('GET /v1/passes/{passId}', {
    summary: 'A recorded pass, with what its planner saw where that was kept',
    answer: RecordedPass,
    errors: { 404: 'there is no such pass' },
    async handle(ports, { path: { passId } }) {
      const recorded = await ports.recorder.pass(passId);
      if (!recorded)
        throw new RefusedRequestError(404, `there is no pass ${passId}: passes are kept for 7 days, and "farloop explain" tells their ids`);
      const { pass, snapshot } = recorded;
      return { pass: toldPass(pass), ...(snapshot && { snapshot: Buffer.from(snapshot).toString('base64') }) };
    },
  }),
] as const;
