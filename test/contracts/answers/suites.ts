// All scenarios, by the file in which their answers are recorded.
import { accessScenarios } from './access-scenarios.ts';
import { applyScenarios } from './apply-scenarios.ts';
import { deploymentScenarios } from './deployment-scenarios.ts';
import { autoscalerScenarios } from './autoscaler-scenarios.ts';
import { customScenarios } from './custom-scenarios.ts';
import { limitScenarios } from './limit-scenarios.ts';
import { roleScenarios } from './role-scenarios.ts';
import { requestScenarios } from './request-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { serviceScenarios } from './service-scenarios.ts';
import { valueScenarios } from './value-scenarios.ts';
import { warningScenarios } from './warning-scenarios.ts';

export const suites: Readonly<Record<string, Scenario[]>> = {
  access: accessScenarios,
  apply: applyScenarios,
  autoscalers: autoscalerScenarios,
  custom: customScenarios,
  deployments: deploymentScenarios,
  limits: limitScenarios,
  requests: requestScenarios,
  roles: roleScenarios,
  services: serviceScenarios,
  values: valueScenarios,
  warnings: warningScenarios,
};
