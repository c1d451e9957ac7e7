/** The name of a called tool as providers accept it. A model can ask for tools that do not exist, by any name. */
export function replayedName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}
