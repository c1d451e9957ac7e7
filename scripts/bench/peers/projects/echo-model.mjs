/** A model for the AI SDK that answers at once with the message that it was sent, as builtin/echo does. */

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

export const echoModel = {
  specificationVersion: 'v3',
  provider: 'bench',
  modelId: 'echo',
  supportedUrls: {},
  doGenerate: ({ prompt }) =>
    Promise.resolve({
      content: [{ type: 'text', text: lastMessageOf(prompt) }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
    }),
  doStream: () => Promise.reject(new Error('Nothing is streamed here.')),
};

function lastMessageOf(prompt) {
  const { content } = prompt.findLast(({ role }) => role === 'user');
  return content.map((part) => part.text ?? '').join('');
}
