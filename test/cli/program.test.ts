// What every command shares: help, version, exit codes, where what is printed.
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buildProgram } from '../../lib/cli/program.ts';
import { ALL_FACTS, kindNames } from '../../lib/kinds/facts.ts';
import { pluralOf } from '../../lib/kinds/kind-names.ts';
import { listening } from '../listening.ts';
import { FarloopProcess, root, runFarloop, runWithin, temporaryFolder } from './farloop-process.ts';

const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('usage', () => {
  test('--version prints the version of the package', async () => {
    expect(await runFarloop(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('--help goes to standard output', async () => {
    const { exitCode, stdout, stderr } = await runFarloop(['--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('Usage: farloop');
  });

  for (const words of [[], ['up'], ['dlq', 'redrive']])
    test(`help ${words.join(' ')} prints what --help does`, async () => {
      const help = await runWithin(['help', ...words]);
      expect(help).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/^Usage: farloop/) });
      expect(help).toEqual(await runWithin([...words, '--help']));
    });

  test('without a command the help goes to standard error, and it is a usage error', async () => {
    const { exitCode, stdout, stderr } = await runWithin([]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Usage: farloop');
  });

  const many = Array.from({ length: 501 }, (_, at) => ['--namespace', `team-${at}`]).flat();
  const queues = ['--events-queue-url', 'https://a.example.com/events', '--asks-queue-url', 'https://a.example.com/asks'];
  // One of each way in a process of its own: how the program is called, and those that have begun to start.
  const mistakes: { name: string; args: string[]; says: string | RegExp; isProcess?: true }[] = [
    {
      name: 'a mistyped command gets a suggestion',
      isProcess: true,
      args: ['gte', 'jobs'],
      says: /unknown command 'gte' \(Did you mean get\?\)/,
    },
    {
      name: 'an unknown option is named',
      args: ['get', 'jobs', '--nmespace', 'x'],
      says: /unknown option '--nmespace' \(Did you mean --namespace\?\)/,
    },
    { name: 'a missing argument is named', args: ['explain'], says: /missing required argument 'workload'/ },
    {
      name: 'a missing subcommand is told',
      args: ['dlq'],
      says: /a subcommand is missing: expected list, redrive or drop; see farloop dlq --help/,
    },
    {
      name: 'help on what there is not',
      args: ['help', 'dqlq'],
      says: /unknown command 'dqlq' \(Did you mean dlq\?\); see farloop --help/,
    },
    {
      name: 'a kind that there is not gets a suggestion',
      args: ['get', 'jbos'],
      says: `Expected ${ALL_FACTS.map(pluralOf).join(', ')}, workloads, clusters, or KIND/NAME as in job/demo. (Did you mean jobs?)`,
    },
    { name: 'a namespace of clusters', args: ['get', 'clusters', '-n', 'x'], says: /--namespace says nothing of clusters/ },
    { name: 'two names', args: ['get', 'job/demo', 'other'], says: /"other" is one name too many/ },
    {
      name: 'a kind that Farloop does not reconcile',
      args: ['explain', 'deployment/demo'],
      says: `the kinds are ${kindNames().join(', ').toLowerCase()}, as in job/demo`,
    },
    {
      name: 'a value that is none of the choices',
      isProcess: true,
      args: ['get', 'jobs', '-o', 'xml'],
      says: /Allowed choices are text, wide, name, json, yaml/,
    },
    { name: 'a port that is none', args: ['up', '--port', '70000'], says: /whole number from 0 to 65535/ },
    { name: 'a context without a kubeconfig', args: ['up', '--context', 'x'], says: /--context needs --kubeconfig/ },
    {
      name: 'more namespaces than are watched one by one',
      args: ['up', '--apply', 'nowhere.yaml', ...many],
      says: /--namespace names 501 namespaces, and at most 500 are watched one by one: leave it out/,
    },
    {
      name: 'more of them for a relay',
      args: ['relay', '--cluster', 'a', ...queues, ...many],
      says: /--namespace names 501 namespaces, and at most 500 are watched one by one: leave it out/,
    },
    {
      name: 'an empty state folder',
      isProcess: true,
      args: ['up', '--state', ''],
      says: /--state is empty: expected the path of a folder/,
    },
    { name: 'a state folder with a line break', args: ['get', 'jobs', '--state', 'a\nb'], says: /holds control characters: ".*a\\nb"/ },
    {
      name: 'a manifest without an object',
      isProcess: true,
      args: ['up', '--port', '0', '--apply', '/dev/null'],
      says: /\/dev\/null: there is no Kubernetes object/,
    },
    { name: 'a folder of manifests', args: ['plan', '-f', 'examples'], says: /examples: cannot be read: it is a folder, expected a file/ },
    { name: 'a node that is not simulated', args: ['node', '--kubeconfig', 'x'], says: /add --simulated/ },
    { name: 'a kind without a name', args: ['explain', 'job/'], says: /expected KIND\/NAME, as in job\/demo/ },
    {
      name: 'a manifest that is not there',
      isProcess: true,
      args: ['up', '--port', '0', '--apply', 'nowhere.yaml'],
      says: /nowhere\.yaml: cannot be read/,
    },
  ];
  for (const { name, args, says, isProcess } of mistakes)
    test(`${name}: one line on standard error, exit code 2`, async () => {
      const { exitCode, stdout, stderr } = await (isProcess ? runFarloop : runWithin)(args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      if (typeof says === 'string') expect(stderr).toContain(says);
      else expect(stderr).toMatch(says);
      expect(stderr).toMatch(/^farloop: [^\n]+\n$/);
    });

  test('every command has a description and an example', () => {
    for (const command of [buildProgram(), ...buildProgram().commands, ...buildProgram().commands.flatMap(({ commands }) => commands)]) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect({ command: command.name(), help }).toMatchObject({ help: expect.stringMatching(/Examples?:\n {2}.*farloop/) });
      expect(command.description()).toMatch(/\.$/);
    }
  });
});

test('nobody to have a home folder: one line, exit code 2', async () => {
  const { exitCode, stdout, stderr } = await runFarloop(['get', 'jobs'], { environment: { HOME: '' } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toBe('farloop: there is no home folder to keep the state in: name a folder with --state or FARLOOP_STATE\n');
});

test('Ctrl-C ends a command that waits for an answer with 130', async () => {
  const asked = Promise.withResolvers<void>();
  const mute = await listening(createServer(() => asked.resolve()));
  const waiting = new FarloopProcess(['get', 'jobs', '--endpoint', mute.url], { environment: { FARLOOP_TOKEN: 'token' } });
  await asked.promise;
  const { exitCode } = await waiting.end('SIGINT');
  await mute.stop();
  expect({ exitCode, stdout: waiting.stdout, stderr: waiting.stderr }).toEqual({ exitCode: 130, stdout: '', stderr: '' });
});

describe('without a running instance', () => {
  for (const args of [
    ['get', 'jobs'],
    ['explain', 'job/demo'],
    ['dlq', 'list'],
    ['dlq', 'redrive'],
    ['dlq', 'drop'],
  ])
    test(`${args.join(' ')} says where it looked, exit code 1`, async () => {
      const folder = temporaryFolder();
      const { exitCode, stdout, stderr } = await runWithin([...args, '--state', folder.path]);
      folder.remove();
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toBe(
        `farloop: no Farloop is running with the state folder ${folder.path}: start one with "farloop up", or name its folder with --state\n`,
      );
    });
});
