// Completion scripts: the same walk in three languages. The words before the cursor lead down the tree of commands, past the values
// of options; what may follow there is offered: values after an option that takes one, options after a dash, else commands and words.

/** `file`, `folder`: those on the disk. `anything`: nobody can guess it. */
export type Value = 'file' | 'folder' | 'anything' | { words: readonly string[] };

export interface Place {
  /** Names of commands, from the program down; empty for the program itself. */
  path: readonly string[];
  words: readonly { word: string; description: string }[];
  /** After a kind and a slash comes the name of a workload, which the running instance is asked for. */
  takesWorkload: boolean;
  /** The id of a run whose record lies in the state folder. */
  takesRun: boolean;
  /** With a value when they take one. */
  options: readonly { names: readonly string[]; description: string; value?: Value }[];
}

interface ValuedOption {
  /** `up:--port`, as the scripts look it up. */
  at: string;
  value: Value;
}

const placeText = ({ path }: Place): string => path.join(' ');
const optionNames = ({ options }: Place): string[] => options.flatMap(({ names }) => names);
const steps = (places: readonly Place[]): string[] => places.map(placeText).filter((path) => path !== '');

const valuedOptions = (places: readonly Place[]): ValuedOption[] =>
  places.flatMap((place) =>
    place.options.flatMap(({ names, value }) =>
      value === undefined ? [] : names.map((name) => ({ at: `${placeText(place)}:${name}`, value })),
    ),
  );

const namedPlaces = (places: readonly Place[]): string => alternatives(places.filter(({ takesWorkload }) => takesWorkload).map(placeText));

const runPlaces = (places: readonly Place[]): string => alternatives(places.filter(({ takesRun }) => takesRun).map(placeText));

/** `'a'|'b'`: alternatives of a `case`. */
const alternatives = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join('|');

/** One branch per kind of value; words that are alike share one. @param act the shell's command for a value */
function valueBranches(places: readonly Place[], act: (value: Value) => string): string[] {
  const byAct = new Map<string, string[]>();
  for (const { at, value } of valuedOptions(places)) byAct.set(act(value), [...(byAct.get(act(value)) ?? []), at]);
  return [...byAct].map(([action, ats]) => `    ${alternatives(ats)}) ${action} ;;`);
}

/** Steps of bash and zsh over each word before the cursor: past the value of an option, or down to a command. */
const wordStep = (places: readonly Place[]): string => `    if [[ -n "$skip" ]]; then skip=''; continue; fi
    case "\${place:+$place }$word" in
      ${alternatives(steps(places))}) place="\${place:+$place }$word"; continue ;;
    esac
    case "$place:$word" in
      ${alternatives(valuedOptions(places).map(({ at }) => at))}) skip=1 ;;
    esac`;

export function bashScript(places: readonly Place[]): string {
  const offer = (words: readonly string[]): string => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`;
  const act = (value: Value): string => {
    if (value === 'anything') return 'return';
    if (value === 'file' || value === 'folder')
      return `IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -${value === 'file' ? 'f' : 'd'} -- "$current")); return`;
    return `${offer(value.words)}; return`;
  };
  const words = places.map(
    (place) =>
      `    '${placeText(place)}') words='${place.words.map(({ word }) => word).join(' ')}' options='${optionNames(place).join(' ')}' ;;`,
  );
  return `# farloop completion; load it with: source <(farloop completion bash)
_farloop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place='' words='' options='' word at skip=''
  COMPREPLY=()
  # --option=value comes in three words.
  [[ "$current" == '=' ]] && current=''
  [[ "$previous" == '=' ]] && previous="\${COMP_WORDS[COMP_CWORD-2]}"
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    [[ "$word" == '=' ]] && continue
${wordStep(places)}
  done
  local IFS=$' \\t\\n'
  case "$place" in
${words.join('\n')}
  esac
  case "$place:$previous" in
${valueBranches(places, act).join('\n')}
  esac
  case "$place" in
    ${runPlaces(places)}) [[ "$current" == -* ]] || words="$(FARLOOP_ENDPOINT='' "\${COMP_WORDS[0]}" completion names "run/$current" 2>/dev/null)"; words="\${words//run\\//}" ;;
  esac
  case "$place:$current" in
    *:-*) words="$options" ;;
    *:*/*) case "$place" in ${namedPlaces(places)}) words="$("\${COMP_WORDS[0]}" completion names "$current" 2>/dev/null)" ;; esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ "\${#COMPREPLY[@]}" == 1 && "\${COMPREPLY[0]}" == */ ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _farloop farloop
`;
}

export function zshScript(places: readonly Place[]): string {
  const act = (value: Value): string => {
    if (value === 'anything') return '_message value; return';
    if (value === 'file') return '_files; return';
    if (value === 'folder') return '_files -/; return';
    return `compadd -- ${value.words.join(' ')}; return`;
  };
  const described = (items: readonly { word: string; description: string }[]): string =>
    items.map(({ word, description }) => `'${word}:${quotable(description)}'`).join(' ');
  const words = places.map((place) => {
    // After a kind comes a name, without a space.
    const isOpen = place.words.some(({ word }) => word.endsWith('/'));
    const options = place.options.flatMap(({ names, description }) => names.map((word) => ({ word, description })));
    return `    '${placeText(place)}') words_here=(${described(place.words)}); options_here=(${described(options)})${isOpen ? " suffix=(-S '')" : ''} ;;`;
  });
  return `#compdef farloop
# farloop completion; load it with: source <(farloop completion zsh), or keep it as _farloop in a folder of fpath
_farloop() {
  local place='' word skip='' previous=$words[CURRENT-1] current=$words[CURRENT]
  local -i at
  local -a words_here options_here suffix
  for ((at = 2; at < CURRENT; at++)); do
    word=$words[at]
${wordStep(places)}
  done
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    compset -P '*='
  fi
  case "$place:$previous" in
${valueBranches(places, act).join('\n')}
  esac
  case "$place" in
${words.join('\n')}
  esac
  if [[ $current == -* ]]; then
    _describe -o option options_here
  elif [[ $current == */* && $place == (${namedPlaces(places)}) ]]; then
    compadd -- \${(f)"$($words[1] completion names $current 2>/dev/null)"}
  elif [[ $place == (${runPlaces(places)}) ]]; then
    compadd -- \${\${(f)"$(FARLOOP_ENDPOINT= $words[1] completion names run/$current 2>/dev/null)"}#run/}
  else
    _describe argument words_here "\${suffix[@]}"
  fi
}
if [[ "$funcstack[1]" == _farloop ]]; then
  _farloop "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _farloop farloop
fi
`;
}

export function fishScript(places: readonly Place[]): string {
  const value = (given: Value | undefined): string => {
    if (given === undefined) return '';
    if (given === 'anything') return ' -x';
    if (given === 'file') return ' -r -F';
    return given === 'folder' ? " -x -a '(__fish_complete_directories)'" : ` -x -a '${given.words.join(' ')}'`;
  };
  const lines = places.flatMap((place) => {
    const here = `complete -c farloop -n '__farloop_at "${placeText(place)}"'`;
    return [
      ...(place.takesWorkload ? [`${here} -a '(__farloop_names)'`] : []),
      ...(place.takesRun ? [`${here} -a '(__farloop_runs)'`] : []),
      ...place.words.map(({ word, description }) => `${here} -a '${word}' -d '${quotable(description)}'`),
      ...place.options.map(
        ({ names, description, value: given }) =>
          `${here} ${names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ')}${value(given)} -d '${quotable(description)}'`,
      ),
    ];
  });
  return `# farloop completion; load it with: farloop completion fish | source
function __farloop_at
    set -l place ''
    set -l skip ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip ''
            continue
        end
        set -l next (string trim -- "$place $word")
        if contains -- "$next" ${alternatives(steps(places)).replaceAll('|', ' ')}
            set place $next
        else if contains -- "$place:$word" ${alternatives(valuedOptions(places).map(({ at }) => at)).replaceAll('|', ' ')}
            set skip 1
        end
    end
    test "$place" = "$argv[1]"
end
function __farloop_names
    set -l current (commandline -ct)
    string match -q -- '*/*' "$current"; and farloop completion names "$current" 2>/dev/null
end
function __farloop_runs
    FARLOOP_ENDPOINT= farloop completion names run/(commandline -ct) 2>/dev/null | string replace 'run/' ''
end
complete -c farloop -f
${lines.join('\n')}
`;
}

/** Within single quotes; a colon would end zsh's word. */
const quotable = (description: string): string => description.replaceAll("'", '’').replaceAll(':', ' -').replaceAll('`', '’');
