// Completion as the shells do it: bash is asked itself; zsh and fish too where they are installed, else their scripts are only read.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { completionScript } from '../../../lib/cli/completion/completion.ts';
import { buildProgram } from '../../../lib/cli/program.ts';
import { ALL_FACTS, kindNames } from '../../../lib/kinds/facts.ts';
import { pluralOf } from '../../../lib/kinds/kind-names.ts';
import { settingsOf } from '../../../lib/kinds/settings.ts';
import { runWithin, temporaryFolder } from '../farloop-process.ts';

const folder = temporaryFolder();

beforeAll(() => {
  mkdirSync(join(folder.path, 'a folder'));
  writeFileSync(join(folder.path, 'a job.yaml'), '');
  for (const shell of ['bash', 'zsh', 'fish'] as const) writeFileSync(join(folder.path, shell), completionScript(buildProgram(), shell));
});
afterAll(() => folder.remove());

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** What bash offers at the end of the line, which it has cut as it does. */
function offeredByBash(words: readonly string[]): string[] {
  const script = `source ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _farloop; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...words], { cwd: folder.path, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter((line) => line !== '');
}

const PLURALS = ALL_FACTS.map(pluralOf);
const WORDS = settingsOf().map(({ word }) => word);
const FORMATS = ['json', 'name', 'text', 'wide', 'yaml'];

describe('bash', () => {
  const cases: { line: string[]; offers: string[] }[] = [
    { line: ['dl'], offers: ['dlq'] },
    { line: ['get', ''], offers: [...PLURALS, 'workloads', 'clusters'] },
    { line: ['get', 'jobs', '-o', ''], offers: FORMATS },
    { line: ['get', '-o', 'json', 'c'], offers: ['clusters'] },
    { line: ['get', 'jobs', '--output', 'j'], offers: ['json'] },
    { line: ['get', 'jobs', '--output', '='], offers: FORMATS },
    { line: ['get', 'jobs', '--output', '=', 'y'], offers: ['yaml'] },
    { line: ['get', '--output', '=', 'yaml', 'j'], offers: PLURALS.filter((word) => word.startsWith('j')) },
    { line: ['get', '-n', 'dlq', '--outp'], offers: ['--output'] },
    { line: ['explain', ''], offers: [...kindNames(), 'run'].map((kind) => `${kind.toLowerCase()}/`) },
    { line: ['plan', 'run'], offers: ['run/'] },
    { line: ['up', '--manage', ''], offers: WORDS },
    { line: ['up', '--port', ''], offers: [] },
    { line: ['up', '--apply', 'a'], offers: ['a folder', 'a job.yaml'] },
    { line: ['up', '--state', 'a'], offers: ['a folder'] },
    { line: ['relay', '--service-account', 'a'], offers: ['a folder'] },
    { line: ['plan', '-f', 'a j'], offers: ['a job.yaml'] },
    { line: ['dlq', ''], offers: ['drop', 'list', 'redrive'] },
    { line: ['dlq', 'list', '--queue', 'w'], offers: ['wakes'] },
    { line: ['dlq', 'redrive', '--st'], offers: ['--state'] },
    { line: ['completion', ''], offers: ['bash', 'zsh', 'fish'] },
    { line: ['help', 'expl'], offers: ['explain'] },
  ];
  for (const { line, offers } of cases)
    test(`farloop ${line.join(' ')}`, () => expect(offeredByBash(['farloop', ...line]).toSorted()).toEqual(offers.toSorted()));

  test('after a kind and a slash offers what the program itself names, and nothing where it fails', () => {
    const program = join(folder.path, 'named');
    writeFileSync(program, '#!/bin/sh\n[ "$1 $2 $3" = "completion names job/de" ] || exit 1\nprintf "job/demo\\njob/dev\\n"\n');
    chmodSync(program, 0o755);
    for (const command of ['explain', 'get', 'logs', 'map', 'plan', 'wait'])
      expect(offeredByBash([program, command, 'job/de'])).toEqual(['job/demo', 'job/dev']);
    expect(offeredByBash([program, 'explain', 'job/x'])).toEqual([]);
    expect(offeredByBash([program, 'up', 'job/de'])).toEqual([]);
    expect(offeredByBash([join(folder.path, 'absent'), 'explain', 'job/de'])).toEqual([]);
  });

  test('after run-once get, logs and cancel offers the ids of runs that this machine keeps', () => {
    const program = join(folder.path, 'keeping');
    writeFileSync(
      program,
      `#!/bin/sh\n[ "$FARLOOP_ENDPOINT$1 $2 $3" = "completion names run/ni" ] || exit 1\nprintf "run/night-run\\nrun/nightly-07\\n"\n`,
    );
    chmodSync(program, 0o755);
    process.env['FARLOOP_ENDPOINT'] = 'http://elsewhere.example';
    try {
      for (const command of ['get', 'logs', 'cancel'])
        expect(offeredByBash([program, 'run-once', command, 'ni'])).toEqual(['night-run', 'nightly-07']);
    } finally {
      delete process.env['FARLOOP_ENDPOINT'];
    }
    expect(offeredByBash([program, 'run-once', 'list', 'ni'])).toEqual([]);
    expect(offeredByBash([program, 'run-once', 'get', '--wa'])).toEqual(['--watch']);
  });

  test('offers every command', () => {
    expect(offeredByBash(['farloop', ''])).toEqual(buildProgram().commands.map((command) => command.name()));
  });
});

describe('zsh', () => {
  test('is a completion function when it is loaded from fpath, and registers itself when it is sourced', () => {
    const script = completionScript(buildProgram(), 'zsh');
    expect(script).toMatch(/^#compdef farloop\n/);
    expect(script).toMatch(
      /if \[\[ "\$funcstack\[1\]" == _farloop \]\]; then\n {2}_farloop "\$@"\nelse\n[^]*compdef _farloop farloop\nfi\n$/,
    );
    // `path` is the search path itself there.
    expect(script).not.toMatch(/\bpath\b(?!=)/);
    expect(script).toMatch(/'get:-o'.*\) compadd -- text wide name json yaml; return ;;/);
    expect(script).toMatch(/'up:--kubeconfig'.*\) _files; return ;;/);
  });

  if (isInstalled('zsh'))
    test('can be read', () =>
      expect(spawnSync('zsh', ['-fn', 'zsh'], { cwd: folder.path, encoding: 'utf8' })).toMatchObject({ stderr: '', status: 0 }));
});

describe('fish', () => {
  test('the id of a run is asked for where one can stand', () => {
    const script = completionScript(buildProgram(), 'fish');
    expect(script).toContain(`complete -c farloop -n '__farloop_at "run-once cancel"' -a '(__farloop_runs)'`);
    expect(script).not.toContain(`'__farloop_at "run-once list"' -a '(__farloop_runs)'`);
  });

  test('an option has its description, and values where they are known', () => {
    const script = completionScript(buildProgram(), 'fish');
    expect(script).toContain(`complete -c farloop -n '__farloop_at "up"' -l port -x -d 'port of console`);
    expect(script).toContain(`complete -c farloop -n '__farloop_at "get"' -s o -l output -x -a 'text wide name json yaml' -d`);
    expect(script).toContain(`complete -c farloop -n '__farloop_at "plan"' -s f -l filename -r -F -d`);
  });

  if (isInstalled('fish'))
    test('can be read, and offers', () => {
      const asked = spawnSync('fish', ['--no-config', '-c', "source ./fish; complete -C 'farloop get jobs -o '"], {
        cwd: folder.path,
        encoding: 'utf8',
      });
      expect(asked.stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(expect.arrayContaining(FORMATS));
    });
});

describe('names of workloads', () => {
  const askedAt = async (port: number, begun: string): Promise<unknown> =>
    await runWithin(['completion', 'names', begun], {
      environment: { FARLOOP_ENDPOINT: `http://127.0.0.1:${port}`, FARLOOP_TOKEN: 'a-token' },
    });

  test('are those of the running instance, by any name of the kind; none without one, or while it is silent', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      // Silent about one kind.
      if (!request.url?.includes('kind=PyTorchJob'))
        response.end(JSON.stringify({ items: ['demo', 'demo', 'other', 'de\u001B[2J'].map((name) => ({ name })) }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    expect(await askedAt(port, 'jobs/de')).toEqual({ exitCode: 0, stdout: 'jobs/demo\n', stderr: '' });
    expect(await askedAt(port, 'job/')).toEqual({ exitCode: 0, stdout: 'job/demo\njob/other\n', stderr: '' });
    expect(asked).toEqual(['/v1/workloads?kind=Job&limit=500&text=de', '/v1/workloads?kind=Job&limit=500']);
    for (const begun of ['pytorchjob/', 'demo', 'nokind/de', 'job/a/b'])
      expect(await askedAt(port, begun)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await askedAt(port, 'job/de')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('of runs they are ids: of the state folder, or of the instance that FARLOOP_ENDPOINT names', async () => {
    const state = join(folder.path, 'state');
    for (const id of ['nightly-07', 'nightly-08', 'other']) mkdirSync(join(state, 'runs', id), { recursive: true });
    const here = { environment: { FARLOOP_STATE: state } };
    expect((await runWithin(['completion', 'names', 'run/ni'], here)).stdout).toBe('run/nightly-07\nrun/nightly-08\n');
    expect((await runWithin(['completion', 'names', 'Run/o'], here)).stdout).toBe('Run/other\n');
    expect(await runWithin(['completion', 'names', 'run/'], { environment: { FARLOOP_STATE: join(state, 'none') } })).toMatchObject({
      exitCode: 0,
      stdout: '',
    });
    const server = createServer((request, response) => {
      const items = request.url === '/v1/runs?limit=500' ? [{ runId: 'there' }, { runId: 'elsewhere' }] : [];
      response.end(JSON.stringify({ items }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    expect(await askedAt((server.address() as AddressInfo).port, 'run/t')).toMatchObject({ stdout: 'run/there\n' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
