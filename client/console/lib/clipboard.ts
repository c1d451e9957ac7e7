/** Copies text, where the browser lets a page do so. */

/** False on pages that were not loaded by https or from this machine: there a person has to copy it. */
export async function copyText(text: string): Promise<boolean> {
  if (!window.isSecureContext) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
