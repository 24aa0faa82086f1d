// All scenarios, by the file in which their answers are recorded.
import { accessScenarios } from './access-scenarios.ts';
import { applyScenarios } from './apply-scenarios.ts';
import { customScenarios } from './custom-scenarios.ts';
import { limitScenarios } from './limit-scenarios.ts';
import { roleScenarios } from './role-scenarios.ts';
import { requestScenarios } from './request-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { serviceScenarios } from './service-scenarios.ts';
import { valueScenarios } from './value-scenarios.ts';

export const suites: Readonly<Record<string, Scenario[]>> = {
  access: accessScenarios,
  apply: applyScenarios,
  custom: customScenarios,
  limits: limitScenarios,
  requests: requestScenarios,
  roles: roleScenarios,
  services: serviceScenarios,
  values: valueScenarios,
};
