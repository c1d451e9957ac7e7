/** The completion script of bash, for every version since 3.2, which macOS still has. */
import {
  firstOffer,
  flagChoices,
  flagsWithValue,
  identifier,
  type Place,
  quoted,
  type Word,
} from './places.js';

export function bashCompletion(program: string, places: Place[]): string {
  const name = `_${identifier(program)}`;
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [quoted(path)]));
  const values = flagChoices(places).map(
    (one) => `      ${quoted(one.place)}) words=${quoted(one.values.join(' '))} ;;`,
  );
  const flags = places.map((place) => `      ${quoted(place.path)}) words=${list(place.flags)} ;;`);
  const offers = places.map(
    (place) => `      ${quoted(place.path)}) words=${list(firstOffer(place))} ;;`,
  );
  return `# Completion of ${program} for bash.
${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' flag='' words='' word index
  for (( index = 1; index < COMP_CWORD; index++ )); do
    word="\${COMP_WORDS[index]}"
    # Bash takes the = between a flag and its value for a word.
    [[ $word == '=' ]] && continue
    if [[ -n $flag ]]; then
      flag=''
      continue
    fi
    case "$word" in
      ${flagsWithValue(places).join('|')}) flag="$word" ;;
      -*) ;;
      *)
        case "\${path:+$path }$word" in
          ${paths.join('|')}) path="\${path:+$path }$word" ;;
        esac
        ;;
    esac
  done
  [[ $current == '=' ]] && current=''
  if [[ -n $flag ]]; then
    case "$path $flag" in
${values.join('\n')}
    esac
  elif [[ $current == -* ]]; then
    case "$path" in
${flags.join('\n')}
    esac
  else
    case "$path" in
${offers.join('\n')}
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -F ${name} ${program}
`;
}

function list(words: Word[]): string {
  return quoted(words.map(({ word }) => word).join(' '));
}
