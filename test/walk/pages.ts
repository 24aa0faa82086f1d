// The commands that a page shows, in the order in which they stand. Only fences of the kind `console` hold commands:
//
//   ```console            run in a shell, one after another: `$ ` begins a command, what follows is what it prints
//   ```console running    the same, but its last command goes on: it has printed what stands there, and ends when another one of its kind
//                         begins, or with the page, by Ctrl-C
//   ```console beside     the same, and it goes on until the page ends, whatever else begins: a second terminal
//   ```console exits=3    the last command ends with that exit code
//   ```console soon       the last command is typed again until it prints what stands there: what it shows comes about by itself
//   ```console ci         a step of .ci/run: proven there
//   ```console aws        needs an AWS account, or a registry of images: not run

export interface Command {
  /** As the shell gets it, continued lines joined. */
  text: string;
  /** What the page shows; undefined: nothing. */
  shown?: string[];
  /** Of the page's file, from 1. */
  line: number;
  isRunning: boolean;
  /** Runs until the page ends. */
  isBeside?: true;
  exitCode: number;
  isSoon: boolean;
}

export interface Page {
  commands: Command[];
  /** Those that are proven elsewhere. */
  inCi: Command[];
  needAccount: Command[];
  /** One sentence each, with the line. */
  problems: string[];
}

/** Programs that pages call. A line of another block that begins with one is a command that the walk would not see. */
const PROGRAMS =
  /^(?:\$ )?(?:[A-Z_]+=\S+ )*\(?(?:npx|npm|node|farloop|kubectl|aws|git|docker|curl|export(?= [A-Z_]+=)|cat|echo|jq|osls|osv-scanner|sh)\b/;

/** What shows that a command needs an account: whoever marks another one as such hides it from the walk. */
const ACCOUNT =
  /\baws\b|--kubeconfig FILE|farloop relay|--stage\b|\bosls\b|\bdocker\b|FARLOOP_ENDPOINT|npm run (?:deploy|package)\b|AWS_|github\.com/;

/** @param text a page in Markdown */
export function pageOf(text: string): Page {
  const page: Page = { commands: [], inCi: [], needAccount: [], problems: [] };
  let fence: { info: string[]; from: number; lines: string[]; indent: number } | undefined;
  let isAfterBlank = true;
  for (const [at, line] of text.split('\n').entries()) {
    // In a list a fence stands as far in as the text around it.
    const [, indent = '', opened] = /^( *)```(.*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      if (opened === undefined) fence.lines.push(line.slice(fence.indent));
      else {
        takeFence(page, fence);
        fence = undefined;
      }
    } else if (opened !== undefined) fence = { info: opened.trim().split(/\s+/), from: at + 2, lines: [], indent: indent.length };
    else if (isAfterBlank && /^ {4}/.test(line)) refuseCommand(page, line, at + 1);
    isAfterBlank = line.trim() === '' || (isAfterBlank && /^ {4}/.test(line));
  }
  if (fence !== undefined) page.problems.push(`line ${fence.from - 1}: the fence is not closed`);
  return page;
}

function refuseCommand(page: Page, line: string, at: number): void {
  if (PROGRAMS.test(line.trim())) page.problems.push(`line ${at}: "${line.trim()}" stands outside a fence of the kind console`);
}

function takeFence(page: Page, { info: [kind = '', ...marks], from, lines }: { info: string[]; from: number; lines: string[] }): void {
  if (kind !== 'console') {
    for (const [at, line] of lines.entries()) refuseCommand(page, line, from + at);
    return;
  }
  const commands = commandsIn(lines, from);
  if (commands.length === 0) page.problems.push(`line ${from}: no line of the fence begins with "$ "`);
  const last = commands.at(-1);
  let list = page.commands;
  for (const mark of marks) {
    const [, exitCode] = /^exits=(\d+)$/.exec(mark) ?? [];
    if (exitCode !== undefined && last) last.exitCode = Number(exitCode);
    else if (mark === 'running' && last) last.isRunning = true;
    else if (mark === 'beside' && last) Object.assign(last, { isRunning: true, isBeside: true });
    else if (mark === 'soon' && last) last.isSoon = true;
    else if (mark === 'ci') list = page.inCi;
    else if (mark === 'aws') list = page.needAccount;
    else page.problems.push(`line ${from - 1}: a fence has no mark "${mark}"`);
  }
  if (list === page.needAccount && !commands.some(({ text }) => ACCOUNT.test(text)))
    page.problems.push(`line ${from}: nothing in the fence needs an account`);
  list.push(...commands);
}

function commandsIn(lines: readonly string[], from: number): Command[] {
  const commands: Command[] = [];
  let isContinued = false;
  for (const [at, line] of lines.entries()) {
    const current = commands.at(-1);
    if (current && isContinued) {
      current.text += `\n${line}`;
      isContinued = line.endsWith('\\');
    } else if (line.startsWith('$ ')) {
      commands.push({ text: line.slice(2), line: from + at, isRunning: false, exitCode: 0, isSoon: false });
      isContinued = line.endsWith('\\');
    } else if (current) (current.shown ??= []).push(line);
  }
  for (const { shown } of commands) while (shown?.at(-1)?.trim() === '') shown.pop();
  return commands;
}
