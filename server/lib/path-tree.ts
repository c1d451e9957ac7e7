/** Finds what belongs to a path by its segments, in one walk, whatever the number of paths. */

export interface PathTree<Value> {
  /** A segment in braces is a parameter, such as in `/agents/{agent_id}`. A path that is known keeps its value. */
  add: (path: string, create: () => Value) => Value;
  /** A segment that is written out comes before a parameter in the same place. */
  find: (path: string) => FoundPath<Value> | undefined;
}

export interface FoundPath<Value> {
  value: Value;
  /** As they are in the path, percent-encoded. */
  parameters: Record<string, string>;
}

interface Place<Value> {
  written: Map<string, Place<Value>>;
  parameter?: { name: string; place: Place<Value> };
  value?: Value;
}

export function createPathTree<Value>(): PathTree<Value> {
  const newPlace = (): Place<Value> => ({ written: new Map() });
  const root = newPlace();

  const placeUnder = (parent: Place<Value>, segment: string): Place<Value> => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name !== undefined) return (parent.parameter ??= { name, place: newPlace() }).place;
    const place = parent.written.get(segment) ?? newPlace();
    parent.written.set(segment, place);
    return place;
  };

  return {
    add: (path, create) => {
      const place = path.split('/').reduce(placeUnder, root);
      return (place.value ??= create());
    },
    find: (path) => {
      const parameters: Record<string, string> = {};
      let place = root;
      for (const segment of path.split('/')) {
        const written = place.written.get(segment);
        if (written) {
          place = written;
          continue;
        }
        if (!place.parameter || segment === '') return undefined;
        parameters[place.parameter.name] = segment;
        place = place.parameter.place;
      }
      return place.value === undefined ? undefined : { value: place.value, parameters };
    },
  };
}
