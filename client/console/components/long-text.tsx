/** A text of any length. Browsers cannot lay out millions of characters, so the rest is shown on demand. */
import { useState } from 'preact/hooks';
import { formatInteger } from '../lib/numbers.js';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { Markdown } from './markdown.js';

const firstPart = 20_000;
const nextPart = 50_000;
/** More would make the page slow; the downloaded file has the complete text. */
const maxShown = 320_000;

export function LongText({ text, fileName }: { text: string; fileName: string }) {
  const [shown, setShown] = useState(firstPart);
  const rest = text.length - shown;
  if (rest <= 0) return <Markdown>{text}</Markdown>;
  return (
    <div class="long-text">
      <Markdown>{text.slice(0, shown)}</Markdown>
      <div class="actions">
        <span class="muted">{formatInteger(rest)} more characters</span>
        {shown < maxShown && (
          <Button
            kind="quiet"
            onClick={() => {
              setShown(shown + nextPart);
            }}
          >
            Show more
          </Button>
        )}
        <CopyButton text={() => text} label="Copy all" />
        <Button
          kind="quiet"
          onClick={() => {
            download(text, fileName);
          }}
        >
          Save as a file
        </Button>
      </div>
    </div>
  );
}

/** Downloads plain text, whatever the content. */
function download(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
