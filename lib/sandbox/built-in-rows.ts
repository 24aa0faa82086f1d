// The resources that a server brings. A further one: its shape in schema/types/, a row in rows/, its line here.
import { isOn } from './objects/features.ts';
import type { ResourceRow } from './rows/resource-row.ts';
import { admissionPolicies, admissionPolicyBindings } from './policies/policy-rows.ts';
import { configMaps, secrets, serviceAccounts } from './rows/configuration.ts';
import { customResourceDefinitions } from './definitions/definition-row.ts';
import { disruptionBudgets } from './rows/disruption-budgets.ts';
import { events, eventsOfEventsGroup } from './rows/events.ts';
import { jobs } from './rows/jobs.ts';
import { autoscalers, deployments, mutatingWebhooks, networkPolicies, validatingWebhooks } from './rows/kept.ts';
import { leases } from './rows/leases.ts';
import { nodeMetrics, podMetrics } from './nodes/measured.ts';
import { namespaces } from './rows/namespaces.ts';
import { nodes } from './rows/nodes.ts';
import { pods } from './rows/pods.ts';
import { priorityClasses } from './rows/priority-classes.ts';
import { rbacRows } from './rows/rbac.ts';
import { reviews } from './access/reviews.ts';
import { schedulingRows } from './rows/scheduling.ts';
import { services } from './rows/services.ts';
import { volumeClaims } from './rows/volume-claims.ts';

export const builtInRows: readonly ResourceRow[] = [
  configMaps,
  events,
  namespaces,
  nodes,
  volumeClaims,
  pods,
  secrets,
  serviceAccounts,
  services,
  deployments,
  autoscalers,
  jobs,
  leases,
  eventsOfEventsGroup,
  networkPolicies,
  disruptionBudgets,
  ...rbacRows,
  priorityClasses,
  ...reviews,
  mutatingWebhooks,
  admissionPolicies,
  admissionPolicyBindings,
  validatingWebhooks,
  customResourceDefinitions,
  nodeMetrics,
  podMetrics,
  ...(isOn('WorkloadWithJob') ? schedulingRows() : []),
];
