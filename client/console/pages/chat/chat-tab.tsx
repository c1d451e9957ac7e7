/** The chat with an agent, with the log of each request beside it, or a comparison of two environments. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty } from '../../components/states.js';
import { address, setQuery } from '../../lib/router.js';
import { production } from '../agent/environments.js';
import { ComparisonView } from './comparison-view.js';
import { Composer } from './composer.js';
import {
  conversationOf,
  newSessionId,
  reopenApproval,
  sendDecisions,
  sendMessage,
} from './conversation.js';
import { ExchangeView } from './exchange-view.js';
import { RequestLog } from '../logs/request-log.js';
import { SessionForm } from './session-form.js';

export function ChatTab({ agent }: { agent: string }) {
  const isComparing = address.value.query.has('compare');
  return isComparing ? <ComparisonView agent={agent} /> : <Chat agent={agent} />;
}

function Chat({ agent }: { agent: string }) {
  const { query } = address.value;
  const key = {
    agent,
    user: query.get('user') ?? '',
    session: query.get('session') ?? '',
    environment: query.get('environment') ?? production,
  };
  useEffect(() => {
    if (!address.peek().query.has('session')) setQuery({ session: newSessionId() });
  }, []);
  const exchanges = conversationOf(key).value;
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const running = exchanges.find(({ state }) => state === 'running');
  const shown = exchanges.find(({ id }) => id === selected) ?? exchanges.at(-1);
  const end = useEndInView(exchanges.length);
  return (
    <div class="chat">
      <div class="chat-main">
        <SessionForm {...key} />
        <div class="conversation" role="log" aria-label="Conversation" tabIndex={0} ref={end}>
          {exchanges.length === 0 && (
            <Empty title={`Send a message to ${agent}`}>
              The agent remembers earlier messages of the same session. This page removes them when
              you sign out.
            </Empty>
          )}
          {exchanges.map((exchange) => (
            <ExchangeView
              key={exchange.id}
              agent={agent}
              exchange={exchange}
              isSelected={exchange === shown}
              onSelect={() => {
                setSelected(exchange.id);
              }}
              isBlocked={running !== undefined}
              onDecide={(answer) => {
                setSelected(undefined);
                void sendDecisions(key, exchange, answer);
              }}
              onReopen={() => {
                reopenApproval(key, exchange);
              }}
            />
          ))}
        </div>
        <Composer
          agent={agent}
          isRunning={running !== undefined}
          isStopping={running?.isStopping ?? false}
          onStop={() => running?.stop()}
          onSend={(message) => {
            setSelected(undefined);
            void sendMessage(key, message);
          }}
        />
      </div>
      <aside class="chat-side" aria-label="Log of the request">
        <h2>Request log</h2>
        {shown?.requestId !== undefined && shown.state !== 'running' ? (
          <RequestLog key={shown.requestId} agent={agent} requestId={shown.requestId} />
        ) : (
          <p class="muted">The log entries of a request appear here when it has ended.</p>
        )}
      </aside>
    </div>
  );
}

/** Keeps the end of the conversation in view as it grows, unless the user has scrolled back. */
function useEndInView(exchanges: number) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = element.current;
    if (!box) return undefined;
    box.scrollTop = box.scrollHeight;
    let isAtEnd = true;
    const onScroll = () => {
      isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
    };
    box.addEventListener('scroll', onScroll);
    const observer = new MutationObserver(() => {
      if (isAtEnd) box.scrollTop = box.scrollHeight;
    });
    observer.observe(box, { childList: true, characterData: true, subtree: true });
    return () => {
      box.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [exchanges]);
  return element;
}
