// The option that says which pods go first.
import type { KindOptions } from '../../objects/kind-options.ts';
import type { KindOption } from '../rows/kind.ts';
import type { PreemptionSettings } from '../preemption/checks/admission.ts';

const NAME = 'preemption-ordering';

export const preemptionOrdering: KindOption = {
  name: NAME,
  describes:
    'which pods make room for a critical one: those of the lowest quality of service (qos, the default), or of the lowest priority',
  value: { placeholder: 'ordering', isOneOf: ['qos', 'priority'] },
};

export const orderingOf = ({ [NAME]: value }: KindOptions): PreemptionSettings['ordering'] => (value === 'priority' ? 'priority' : 'qos');
