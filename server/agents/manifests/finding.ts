/** What is wrong with a manifest that fits its schema, or may be. */
export interface ManifestFinding {
  /** The names and indexes that lead to the setting. */
  path: readonly (string | number)[];
  message: string;
  /** Whether the manifest is refused; otherwise it gets a warning. */
  isRefused: boolean;
}
