/** A group of checkboxes. */
interface ChecksProps<Value extends string> {
  legend: string;
  options: { value: Value; hint: string; isDisabled?: boolean }[];
  chosen: Value[];
  onChange: (chosen: Value[]) => void;
}

export function Checks<Value extends string>(props: ChecksProps<Value>) {
  const { legend, options, chosen, onChange } = props;
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {options.map(({ value, hint, isDisabled = false }) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            disabled={isDisabled}
            onChange={({ currentTarget }) => {
              onChange(
                options
                  .map((option) => option.value)
                  .filter((one) => (one === value ? currentTarget.checked : chosen.includes(one))),
              );
            }}
          />
          <span>
            {value} <span class="muted">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
