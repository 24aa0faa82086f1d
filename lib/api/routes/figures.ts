// Routes about cost and metrics.
import { Cost } from '../answers/cost.ts';
import { costSoFar } from '../cost.ts';
import { metricsText } from '../metrics.ts';
import { route, textRoute } from './route.ts';

export const figureRoutes = [
  route('GET /v1/cost', {
    summary: 'What was counted since this process began, at list prices',
    answer: Cost,
    handle: async (ports) => await costSoFar(ports),
  }),
  textRoute('GET /metrics', {
    summary: "Metrics in Prometheus' text format",
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    handle: async (ports) => await metricsText(ports),
  }),
] as const;
