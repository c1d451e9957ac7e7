import { type ServiceProcess, startProgram } from '../helpers/programs/process.js';

/** Asks a service for /healthz during the work; resolves to what that results in and the longest wait meanwhile. */
export async function probeDuring<T>(
  { url, pid }: Pick<ServiceProcess, 'url' | 'pid'>,
  work: () => Promise<T>,
): Promise<{ result: T; longestMs: number }> {
  const prober = startProgram('test/hostile/prober.ts', [url, String(pid)]);
  await prober.printed(/probing\n/);
  let result;
  try {
    result = await work();
  } finally {
    await prober.end('SIGTERM');
  }
  const [, longest] = await prober.printed(/at most (\S+) ms\n/);
  return { result, longestMs: Number(longest) };
}
