/** Asks for a key, and says why a key cannot be used. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ConnectionError, UnauthorizedError } from '../../src/index.js';
import { detectPermissions } from '../api/permissions.js';
import { createSession, endReason, readStoredKey, startSession } from '../api/session.js';
import { Button } from '../components/button.js';
import { Field } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { Logo } from '../components/logo.js';
import { docsUrl, serviceUrl } from '../lib/router.js';

const keyPattern = /^ahs_[0-9A-Za-z]{46}$/;

export function SignIn() {
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState(endReason.value);

  const signIn = async (candidate: string, keepIt: boolean) => {
    setBusy(true);
    setMessage(undefined);
    try {
      const started = createSession(candidate);
      await detectPermissions(started);
      startSession(started, candidate, keepIt);
    } catch (error) {
      setMessage(explain(error, candidate));
      setBusy(false);
    }
  };
  useEffect(() => {
    document.title = 'Sign in · Console';
    const kept = readStoredKey();
    if (kept !== undefined) void signIn(kept, true);
  }, []);

  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          const candidate = key.trim();
          if (keyPattern.test(candidate)) void signIn(candidate, keep);
          else setMessage(describeMalformedKey(candidate));
        }}
      >
        <h1 class="brand">
          <Logo size={32} />
          Agent Hosting console
        </h1>
        <Field
          label="API key"
          hint={
            <>
              The service prints one at its first start. The operator creates more:{' '}
              <code>npm run operator -- keys create --name Console --role admin</code>
            </>
          }
        >
          {(attributes) => (
            <input
              {...attributes}
              class="input code"
              type="password"
              autocomplete="off"
              spellcheck={false}
              placeholder="ahs_…"
              value={key}
              ref={(input) => {
                if (document.activeElement === document.body) input?.focus();
              }}
              onInput={({ currentTarget }) => {
                setKey(currentTarget.value);
              }}
            />
          )}
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={keep}
            onChange={({ currentTarget }) => {
              setKeep(currentTarget.checked);
            }}
          />
          Keep it in this tab until the tab is closed
        </label>
        <div role="alert">
          {message !== undefined && (
            <p class="problem">
              <Icon name="warning" /> {message}
            </p>
          )}
        </div>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
        <p class="muted">
          The key stays in this page and is sent only to <code>{serviceUrl}</code>.{' '}
          <a href={docsUrl}>Documentation</a>
        </p>
      </form>
    </main>
  );
}

function describeMalformedKey(key: string): string {
  if (key === '') return 'Paste a key.';
  if (!key.startsWith('ahs_')) return 'That is not an API key: keys begin with ahs_.';
  return `That is not a complete key: a key has 50 characters, this has ${key.length}. Copy it again.`;
}

function explain(error: unknown, key: string): string {
  if (error instanceof UnauthorizedError) {
    return `The service does not accept the key that ends with ${key.slice(-4)}: it is unknown, has expired, or was revoked.`;
  }
  if (error instanceof ConnectionError) {
    return 'The service does not respond. It may be restarting: try again in a moment.';
  }
  if (error instanceof ApiError)
    return `${error.message} (request ${error.requestId ?? 'unknown'})`;
  return error instanceof Error ? error.message : String(error);
}
