/** An error, with advice and the request id. */
import type { Problem } from '../api/problem.js';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';
import { Text } from './text.js';

interface ProblemPanelProps {
  problem: Problem | undefined;
  onRetry?: () => void;
}

export function ProblemPanel({ problem, onRetry }: ProblemPanelProps) {
  if (!problem) return null;
  const { title, advice, requestId } = problem;
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <strong>
          <Text max={2_000}>{title}</Text>
        </strong>
        <p>{advice}</p>
        {requestId !== undefined && (
          <p class="muted request-id">
            Request <code>{requestId}</code>
            <CopyButton text={() => requestId} label="Copy the request id" isIconOnly />
          </p>
        )}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
