// Answers people's questions about a workload as its API server has it, and does what they ask to be done with it.
import type { Deadline } from '../../ports/clock.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { WorkloadQuestion } from '../../wire/questions.ts';
import { askingOf, readOwner, readThere } from './asked-workload.ts';
import { refuseWithoutRights } from './action-rights.ts';
import { actFor } from './person-action.ts';
import { eventsOf } from './workload-events.ts';
import { shownManifest } from './workload-manifest.ts';

interface Asked {
  record: ClusterRecord;
  question: WorkloadQuestion;
  deadline: Deadline;
}

/** @returns the answer, but for the empty metadata that stands in every one. @throws the errors of ports/errors.ts, each with one sentence */
export async function answerAboutWorkload(ports: Ports, { record, question, deadline }: Asked): Promise<object> {
  const asking = askingOf(ports, record, question, deadline);
  switch (question.about) {
    case 'events':
      return await readThere(asking, question, async () => await eventsOf(asking, (await readOwner(asking, question)).object));
    case 'manifest':
      // Values may be secrets: shown to those alone who may act, and so could start a pod that shows them.
      if (question.values === 'shown') refuseWithoutRights(ports, record);
      return shownManifest((await readThere(asking, question, async () => await readOwner(asking, question))).object, question.values);
    case 'action':
      return await actFor(ports, asking, question);
  }
}
