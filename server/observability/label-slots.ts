/** Bounds the values of a label that tenants choose: the first ones get their own, the rest share one. */
import { createTally } from '../lib/tally.js';

export interface SlotLimits {
  max: number;
  /** So that one tenant cannot take all of them. */
  maxPerOwner: number;
}

/** Of all names that tenants choose. */
export const other = 'other';

/** Returns the label of a key: always the same, made when the key is seen first, or `rest` if there is no slot left. */
export function createLabelSlots<Label>(
  { max, maxPerOwner }: SlotLimits,
  rest: Label,
): (owner: string, key: string, create: () => Label) => Label {
  const labels = new Map<string, Label>();
  const taken = createTally();
  return (owner, key, create) => {
    const known = labels.get(key);
    if (known !== undefined) return known;
    if (labels.size >= max || taken.of(owner) >= maxPerOwner) return rest;
    const label = create();
    labels.set(key, label);
    taken.add(owner);
    return label;
  };
}
