/** Bounds the number of values of a label that tenants choose: the first ones get their own series, the others share one. */

interface SlotLimits {
  max: number;
  /** Prevents one tenant from taking all slots. */
  maxPerOwner: number;
}

/** The label value that all names beyond the limits share. */
export const other = 'other';

/** Returns the label of a key: the one created when the key was first seen, or `rest` if no slot is free. */
export function createLabelSlots<Label>(
  { max, maxPerOwner }: SlotLimits,
  rest: Label,
): (owner: string, key: string, create: () => Label) => Label {
  const labels = new Map<string, Label>();
  const takenByOwner = new Map<string, number>();
  return (owner, key, create) => {
    const known = labels.get(key);
    if (known !== undefined) return known;
    const taken = takenByOwner.get(owner) ?? 0;
    if (labels.size >= max || taken >= maxPerOwner) return rest;
    const label = create();
    labels.set(key, label);
    takenByOwner.set(owner, taken + 1);
    return label;
  };
}
