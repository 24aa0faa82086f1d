// `farloop console`: the console of an installation elsewhere, shown on this machine. A browser signs no requests; this does it for it.
import { Command } from 'commander';
import { ApiProblem } from '../../api-client/problems.ts';
import { connectToInstance, endpointOption, type ApiClient, type AskingAgain } from '../instance/api-client.ts';
import { wholeNumber } from '../terminal/arguments.ts';
import { FailedError } from '../terminal/exit.ts';
import { stateOption } from '../instance/instance-file.ts';
import { printLine } from '../terminal/output.ts';
import { listenForStop } from '../terminal/stop-signals.ts';

export const consoleCommand = (): Command =>
  new Command('console')
    .description('Show the console of an installation elsewhere in a browser on this machine.')
    .option('--port <number>', 'port of the console on 127.0.0.1; 0: any free one', wholeNumber({ min: 0, max: 65_535 }), 7081)
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText(
      'after',
      '\nThe browser asks this command, which asks the API as the other commands do: signed, or with FARLOOP_TOKEN.' +
        '\n\nExample:\n  farloop console --endpoint https://ID.execute-api.eu-central-1.amazonaws.com',
    )
    .action(async ({ port, state, endpoint }: { port: number; state?: string; endpoint?: string }) => {
      process.exitCode = await runConsole(port, (again) => connectToInstance({ state, endpoint }, process.env, again));
    });

async function runConsole(port: number, connect: (again: AskingAgain) => ApiClient): Promise<number> {
  const stopping = listenForStop();
  const [{ RefusedRequestError }, { serveApi }] = await Promise.all([import('../../api/routed-request.ts'), import('./local-api.ts')]);
  // Browsers ask again every few seconds: the API reads and sends nothing for an answer that is here already.
  const api = connect({ kept: new Map(), isQuiet: true, signal: new AbortController().signal });
  // Report an absent or refusing API here rather than in the browser.
  await api.get('/v1/queues');
  const served = await serveApi({
    port,
    async answer({ method, path, query, body }) {
      if (path[0] !== 'v1' || !['GET', 'POST'].includes(method))
        throw new RefusedRequestError(404, `there is nothing to ${method} at /${path.join('/')}`);
      if (path[1] === 'stream') throw new RefusedRequestError(501, 'changes are not streamed from elsewhere: ask again');
      const asked = `/${path.map(encodeURIComponent).join('/')}${query.size === 0 ? '' : `?${query.toString()}`}`;
      try {
        return { json: await (method === 'GET' ? api.get<unknown>(asked) : api.post<unknown>(asked, body ?? {})) };
      } catch (error) {
        throw error instanceof FailedError ? refusalOf(error) : error;
      }
    },
  });
  function refusalOf(error: FailedError): Error {
    const { status, needs } = error.cause instanceof ApiProblem ? error.cause : {};
    return new RefusedRequestError(statusFor(status), error.message, needs === undefined ? {} : { needs });
  }
  printLine(`console     ${served.consoleUrl}`);
  const exitCode = await stopping.asked;
  await served.close();
  return exitCode;
}

/** 401 would tell the browser that its own token is wrong. */
const statusFor = (status: number | undefined): number => (status === 401 ? 403 : status !== undefined && status >= 400 ? status : 502);
