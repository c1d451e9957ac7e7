/** The completion script of zsh. */
import {
  firstOffer,
  flagChoices,
  flagsWithValue,
  identifier,
  type Place,
  quoted,
  type Word,
} from './places.js';

export function zshCompletion(program: string, places: Place[]): string {
  const name = `_${identifier(program)}`;
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [quoted(path)]));
  const values = flagChoices(places).map(
    (one) => `      ${quoted(one.place)}) choices=(${one.values.map(quoted).join(' ')}) ;;`,
  );
  const flags = places.map(
    (place) => `      ${quoted(place.path)}) choices=(${described(place.flags)}) ;;`,
  );
  const offers = places.map(
    (place) => `      ${quoted(place.path)}) choices=(${described(firstOffer(place))}) ;;`,
  );
  return `#compdef ${program}
# Completion of ${program} for zsh.
${name}() {
  local -a choices
  local where='' flag='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $flag ]]; then
      flag=''
      continue
    fi
    case "$word" in
      ${flagsWithValue(places).join('|')}) flag="$word" ;;
      -*) ;;
      *)
        case "\${where:+$where }$word" in
          ${paths.join('|')}) where="\${where:+$where }$word" ;;
        esac
        ;;
    esac
  done
  if [[ -n $flag ]]; then
    case "$where $flag" in
${values.join('\n')}
    esac
  elif [[ $words[CURRENT] == -* ]]; then
    case "$where" in
${flags.join('\n')}
    esac
  else
    case "$where" in
${offers.join('\n')}
    esac
  fi
  (( $#choices )) && _describe -V ${quoted(program)} choices
}
if [[ $funcstack[1] == ${name} ]]; then
  ${name} "$@"
else
  compdef ${name} ${program}
fi
`;
}

function described(words: Word[]): string {
  return words
    .map(({ word, description }) =>
      quoted(description === '' ? word : `${word}:${description.replaceAll(':', '\\:')}`),
    )
    .join(' ');
}
