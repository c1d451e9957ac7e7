/** Selects an environment of an agent. */
interface EnvironmentSelectProps {
  'aria-label'?: string;
  environments: readonly string[];
  value: string;
  /** The label of the option for all of them, whose value is empty. Without it, there is no such option. */
  all?: string;
  onChange: (environment: string) => void;
}

export function EnvironmentSelect({
  environments,
  value,
  all,
  onChange,
  ...attributes
}: EnvironmentSelectProps) {
  // That of the address may be gone, and is shown nevertheless: the page shows its data.
  const names =
    value === '' || environments.includes(value) ? environments : [...environments, value];
  return (
    <select
      {...attributes}
      class="input"
      value={value}
      onChange={({ currentTarget }) => {
        onChange(currentTarget.value);
      }}
    >
      {all !== undefined && <option value="">{all}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
